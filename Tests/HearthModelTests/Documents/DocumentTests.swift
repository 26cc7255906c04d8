import HearthModel
import Testing

struct DocumentTests {
    private let hall = key("rooms/hall")

    @Test func `a document starts in one of four kinds`() {
        let invalid = Document.invalid(hall)
        #expect(!invalid.isValid && !invalid.isFound && !invalid.isMissing && !invalid.isUnknown)
        #expect(invalid.version == .zero)

        let found = Document.found(hall, at: version(7), ["a": .integer(1)], createdAt: version(3))
        #expect(found.isValid && found.isFound)
        #expect(found.fields == ["a": .integer(1)])
        #expect(found[field("a")] == .integer(1))
        #expect(found.createdAt == version(3))
        #expect(found.state == .synced && !found.hasPendingWrites)

        let missing = Document.missing(hall, at: version(7))
        #expect(missing.isValid && missing.isMissing && missing.fields.isEmpty)

        let unknown = Document.unknown(hall, at: version(7))
        #expect(unknown.isValid && unknown.isUnknown && unknown.hasCommittedMutations)
    }

    @Test func `local writes take the version away, committed ones keep it`() {
        var document = found("rooms/hall", ["a": .integer(1)], at: 7)
        document.markLocalMutations()
        #expect(document.hasLocalMutations && document.hasPendingWrites)
        #expect(document.version == .zero)

        document = found("rooms/hall", ["a": .integer(1)], at: 7)
        document.markCommittedMutations()
        #expect(document.hasCommittedMutations && document.hasPendingWrites)
        #expect(document.version == version(7))
    }

    @Test func `a document becomes found, missing or unknown and is synced again`() {
        var document = Document.invalid(hall)
        document.markLocalMutations()
        document.becomeFound(at: version(8), ["b": .null])
        #expect(document == found("rooms/hall", ["b": .null], at: 8))
        document.markLocalMutations()
        document.becomeMissing(at: version(9))
        #expect(document == .missing(hall, at: version(9)))
        document.becomeUnknown(at: version(10))
        #expect(document == .unknown(hall, at: version(10)))
    }

    @Test func `the times of creation and reading do not count for equality`() {
        let one = Document.found(hall, at: version(1), ["a": .null], createdAt: version(1))
        var two = Document.found(hall, at: version(1), ["a": .null])
        two.readAt = version(5)
        #expect(one == two)
        #expect(hash(one) == hash(two))
    }

    @Test func `key, version, state and content count for equality`() {
        let one = found("rooms/hall", ["a": .integer(1)], at: 1)
        var pending = one
        pending.markCommittedMutations()
        #expect(one != pending)
        #expect(one != found("rooms/hall", ["a": .double(1)], at: 1))
        #expect(one != found("rooms/hall", ["a": .integer(1)], at: 2))
        #expect(one != found("rooms/attic", ["a": .integer(1)], at: 1))
        #expect(one != .missing(hall, at: version(1)))
    }
}
