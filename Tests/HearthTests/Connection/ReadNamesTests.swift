import HearthModel
import HearthWire
import Testing

@testable import Hearth

/// What the daemon is told of the documents that a program has read from the cache.
struct ReadNamesTests {
    private let pause = SharedReadLimits.notePause
    private var names = ReadNames()

    private func key(_ path: String) throws -> DocumentKey { try DocumentKey(parsing: path) }

    @Test mutating func `names are gathered from the first on, and told once`() throws {
        let (hall, attic) = (try key("rooms/hall"), try key("rooms/attic"))
        #expect(names.dueAt == nil && names.take(at: .seconds(1_000)).isEmpty)
        let areFirst = [
            names.note(hall, at: .seconds(5)), names.note(attic, at: .seconds(6)),
            names.note(hall, at: .seconds(7)),
        ]
        #expect(areFirst == [true, false, false])
        #expect(names.dueAt == .seconds(5) + pause)
        #expect(names.take(at: .seconds(4) + pause).isEmpty)
        #expect(names.take(at: .seconds(5) + pause) == [attic, hall])
        #expect(names.dueAt == nil && names.take(at: .seconds(1_000)).isEmpty)
        // The next frame goes a pause after the next read, so two are never closer.
        let isFirst = names.note(hall, at: .seconds(6) + pause)
        #expect(isFirst && names.dueAt == .seconds(6) + pause * 2)
    }

    @Test mutating func `no more names are told than the limit, nor longer ones`() throws {
        for number in 0...SharedReadLimits.noteCountMax {
            _ = names.note(try key("rooms/\(number)"), at: .zero)
        }
        #expect(names.take(at: pause).count == SharedReadLimits.noteCountMax)
        let long = String(repeating: "x", count: 1_400)
        for number in 0..<100 { _ = names.note(try key("rooms/\(long)\(number)"), at: .zero) }
        let told = names.take(at: pause)
        #expect(told.count > 40 && told.count < 50)
        let byteCount = told.reduce(0) { $0 + $1.path.string.utf8.count }
        #expect(byteCount <= SharedReadLimits.noteByteCountMax)
    }
}
