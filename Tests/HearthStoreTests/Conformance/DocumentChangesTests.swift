import HearthFirestore
import HearthModel
import Testing

/// What a store tells of the documents that a group changed.
struct DocumentChangesTests {
    @Test(arguments: StoreKind.allCases)
    func `every step that changes a local document names it, until the next group`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        let user = UserID("alice")
        let keys = [key("a/1"), key("a/2"), key("b/1")]
        try bench.write {
            try $0.setRemoteDocument(readDocument("a/1"))
            try $0.setOverlays(
                [Overlay(largestBatchID: BatchID(1), mutation: set("a/2", [:]))], of: user)
            try $0.setOverlays(
                [Overlay(largestBatchID: BatchID(2), mutation: set("b/1", [:]))], of: user)
        }
        #expect(bench.store.changes.keys == Set(keys))
        try bench.write { _ = try $0.remoteDocument(keys[0]) }
        #expect(bench.store.changes.isEmpty)
        try bench.write { try $0.removeOverlays([keys[1]], of: user) }
        #expect(bench.store.changes.keys == [keys[1]])
        try bench.write { try $0.removeOverlays([keys[2]], of: user) }
        #expect(bench.store.changes.keys == [keys[2]])
        try bench.write { try $0.removeRemoteDocument(keys[0]) }
        #expect(bench.store.changes.keys == [keys[0]])
        try bench.write { $0.noteChanges(of: keys) }
        #expect(bench.store.changes.keys == Set(keys))
    }

    @Test(arguments: StoreKind.allCases)
    func `a document that is collected is named`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write { try $0.setRemoteDocument(readDocument("a/1")) }
        let count = try bench.write {
            try $0.removeOrphans(usedUpTo: .max, limit: 10, isPinned: { _ in false })
        }
        #expect(count == 1)
        #expect(bench.store.changes.keys == [key("a/1")])
    }

    @Test(arguments: StoreKind.allCases)
    func `changes are numbered over all groups, and no number is given twice`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        var last: UInt64 = 0
        for round in 0..<3 {
            try bench.write { try $0.setRemoteDocument(readDocument("a/\(round)")) }
            #expect(bench.store.changes.number > last)
            last = bench.store.changes.number
            try bench.write { store in
                _ = try store.remoteDocument(key("a/1"))
                #expect(store.changeNumber == last)
            }
            #expect(bench.store.changes.number == last)
        }
    }

    @Test func `beyond a bound documents are not told apart`() {
        var changes = DocumentChanges()
        for number in 0...DocumentChanges.countMax { changes.insert(key("a/\(number)")) }
        #expect(changes.isAll && changes.keys.isEmpty)
        #expect(changes.contains(key("never/seen")))
    }

    private func readDocument(_ path: String) -> Document {
        var document = Document.found(key(path), at: version(3), ["n": .integer(1)])
        document.readAt = version(3)
        return document
    }
}
