import HearthEngine
import HearthModel
import Testing

@testable import HearthServer

struct DegradedReasonsTests {
    private let reasons = DegradedReasons()
    private let demo = EngineKey.firestore(DatabaseID(project: "demo"))
    private let other = EngineKey.firestore(DatabaseID(project: "other"))

    private func set(_ text: String?, for subject: String, of key: EngineKey? = nil) -> Bool {
        reasons.set(text, for: subject) { key == nil || $0 == key }
    }

    @Test func `a reason that concerns one database degrades no other`() {
        #expect(set("The disk is full.", for: "disk"))
        #expect(set("No key.", for: "key", of: other))
        #expect(reasons.concerning(demo) == ["The disk is full."])
        #expect(reasons.concerning(other) == ["The disk is full.", "No key."])
        #expect(reasons.all == ["The disk is full.", "No key."])
    }

    @Test func `a subject has one reason, and none when it is well again`() {
        #expect(!set(nil, for: "key", of: other))
        #expect(set("No key.", for: "key", of: other))
        #expect(!set("No key.", for: "key", of: other))
        #expect(set("A broken key.", for: "key", of: other))
        #expect(reasons.all == ["A broken key."])
        #expect(set(nil, for: "key", of: other))
        #expect(reasons.all == [])
        #expect(reasons.concerning(other) == [])
    }
}
