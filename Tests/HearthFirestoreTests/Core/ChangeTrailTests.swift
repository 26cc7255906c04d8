import HearthModel
import HearthTestSupport
import Testing

@testable import HearthFirestore

struct ChangeTrailTests {
    private let keys = (0..<8).map { key("rooms/r\($0)") }

    @Test func `a change is told to whoever began before it`() {
        var trail = ChangeTrail(countMax: 10)
        trail.insert(keys[0])
        let middle = trail.last
        trail.insert(keys[1])
        trail.insert(keys[0])
        trail.insert(keys[0])
        #expect(trail.changes(after: 0)?.sorted() == [keys[0], keys[1]])
        #expect(trail.changes(after: middle)?.sorted() == [keys[0], keys[1]])
        #expect(trail.changes(after: trail.last) == [])
    }

    @Test func `when everything changes, nothing is told apart`() {
        var trail = ChangeTrail(countMax: 10)
        trail.insert(keys[0])
        trail.insertAll()
        #expect(trail.changes(after: 0) == nil)
        let end = trail.last
        trail.insert(keys[2])
        #expect(trail.changes(after: end) == [keys[2]])
    }

    @Test(arguments: 1...60) func `a trail tells what each survey would have noted`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let countMax = Int.random(in: 0...5, using: &random)
        var trail = ChangeTrail(countMax: countMax)
        // Each survey with what it has noted itself: nil for all.
        var noted: [(begunAfter: UInt64, keys: Set<DocumentKey>?)] = []
        for _ in 0..<60 {
            switch Int.random(in: 0..<12, using: &random) {
            case ..<3: noted.append((trail.last, []))
            case ..<4:
                trail.insertAll()
                for place in noted.indices { noted[place].keys = nil }
            default:
                let key = keys[Int.random(in: 0..<keys.count, using: &random)]
                trail.insert(key)
                for place in noted.indices { noted[place].keys?.insert(key) }
            }
            for survey in noted {
                let expected = survey.keys.flatMap { $0.count > countMax ? nil : $0 }
                #expect(trail.changes(after: survey.begunAfter).map { Set($0) } == expected)
            }
        }
    }
}
