import Dispatch
import HearthModel
import Synchronization
import Testing

@testable import HearthBackend

/// All documents of a database, while other threads hold pictures of them.
@Suite(.timeLimit(.minutes(2)))
struct DocumentTableTests {
    /// The last picture of something, until somebody lets the picture go.
    private final class Shelf<Picture: Sendable>: Sendable {
        private let held = Mutex<(picture: Picture?, isOver: Bool)>((nil, false))

        func put(_ picture: Picture) { held.withLock { $0.picture = picture } }

        func close() { held.withLock { $0.isOver = true } }

        var picture: Picture? { held.withLock { $0.picture } }

        /// Lets the picture go on this thread, outside the lock.
        ///
        /// - Returns: Whether there may be more.
        func letGo() -> Bool {
            let (picture, isOver) = held.withLock { held in
                defer { held.picture = nil }
                return (held.picture, held.isOver)
            }
            withExtendedLifetime(picture) {}
            return !isOver
        }
    }

    private static func version(_ number: Int) -> SnapshotVersion {
        SnapshotVersion(Timestamp(seconds: Int64(number + 1), nanoseconds: 0))
    }

    private static func document(_ key: DocumentKey, _ number: Int) -> Document {
        .found(key, at: version(number), ["n": .integer(Int64(number))])
    }

    private static func change(_ key: DocumentKey, _ number: Int) -> DocumentChange {
        DocumentChange(
            old: number == 0 ? .missing(key, at: .zero) : document(key, number - 1),
            new: document(key, number))
    }

    /// Changes a value again and again, while another thread lets go of each picture of it.
    private static func change<Content: Sendable>(
        _ first: Content, times count: Int, _ body: @Sendable (inout Content, Int) -> Void
    ) -> Content {
        let (shelf, last) = (Shelf<Content>(), Shelf<Content>())
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 {
                var value = first
                for number in 0..<count {
                    body(&value, number)
                    shelf.put(value)
                }
                last.put(value)
                shelf.close()
            } else {
                while shelf.letGo() {}
            }
        }
        return last.picture ?? first
    }

    @Test func `a picture of the documents is let go on another thread while documents change`()
        throws
    {
        let keys = try (0..<200).map { try DocumentKey(parsing: "rooms/\($0)") }
        let roundCount = 150
        let table = Self.change(DocumentTable(), times: keys.count * roundCount) { table, step in
            let (number, place) = step.quotientAndRemainder(dividingBy: keys.count)
            table.append([Self.change(keys[place], number)])
            if number % 10 == 9 { table.forget(keys[place], before: Self.version(number)) }
        }
        #expect(table.recordCount == keys.count)
        for key in keys {
            #expect(table.document(key).version == Self.version(roundCount - 1))
        }
    }

    @Test func `a picture of the indexes is let go on another thread while documents change`()
        throws
    {
        let keys = try (0..<200).map { try DocumentKey(parsing: "c\($0)/doc") }
        let name = FieldIndex.Name(field: try FieldPath(canonical: "n"), mode: .value)
        var indexes = IndexTable()
        for key in keys {
            indexes.add(FieldIndex(name, of: []), of: .collection(key.collection))
        }
        let changed = Self.change(indexes, times: keys.count * 100) { indexes, step in
            let (number, place) = step.quotientAndRemainder(dividingBy: keys.count)
            indexes.update(Self.change(keys[place], number))
        }
        for key in keys {
            #expect(changed.index(name, of: .collection(key.collection))?.count == 1)
        }
    }

    @Test func `an index makes room for the newest`() throws {
        let name = FieldIndex.Name(field: try FieldPath(canonical: "n"), mode: .value)
        let spaces = try (0...IndexTable.countMax).map {
            IndexTable.Space.collection(try ResourcePath(parsing: "c\($0)"))
        }
        var indexes = IndexTable()
        for space in spaces { indexes.add(FieldIndex(name, of: []), of: space) }
        #expect(indexes.count == IndexTable.countMax)
        #expect(indexes.index(name, of: spaces[0]) == nil)
        #expect(indexes.index(name, of: spaces[1]) != nil)
    }
}
