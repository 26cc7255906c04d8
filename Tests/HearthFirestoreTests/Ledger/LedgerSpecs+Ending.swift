import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// What the backend sends for a listen that it was asked to end: the backend bills that too.
extension LedgerSpecs {
    private func changed(_ number: Int64) -> Document {
        document("rooms/0", at: 2_000 + number, ["n": .integer(100 + number)])
    }

    private func send(
        _ document: Document, to wire: WireTargetID, of backend: inout WatchBackend
    ) throws {
        try backend.watch(
            .document(
                .init(updated: [wire], removed: [], key: document.key, document: document)))
    }

    @Test func `the daemon pays what comes for a listen that ends, until the backend has ended it`()
        throws
    {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        let wire = try backend.wire(rooms)
        try backend.take(.unlisten(listener(1)))
        try send(changed(1), to: wire, of: &backend)
        var sums = try sums(&backend)
        #expect(sums["program 1"] == LedgerSums(reads: 4, aloneReads: 4))
        #expect(sums["hearthd"] == LedgerSums(reads: 1, aloneReads: 0))
        try backend.watch(.target(.init(kind: .removed(nil), targets: [wire])))
        try send(changed(2), to: wire, of: &backend)
        sums = try self.sums(&backend)
        #expect(sums["hearthd"] == LedgerSums(reads: 1, aloneReads: 0))
    }

    @Test func `a program that listens again at once pays what still comes for the listen before`()
        throws
    {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        let wire = try backend.wire(rooms)
        try backend.take(.unlisten(listener(1)))
        try backend.take(.listen(listener(2), rooms, ListenOptions()))
        try send(changed(1), to: wire, of: &backend)
        #expect(try sums(&backend)["program 2"]?.reads == 1)
        #expect(try sums(&backend)["hearthd"] == nil)
        try backend.answer(rooms, with: [])
        #expect(try sums(&backend)["program 2"] == LedgerSums(reads: 1, aloneReads: 4))
    }

    @Test func `what comes for a listen of a stream that broke costs nothing any more`() throws {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.take(.listen(listener(2), collection("halls"), ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        let wire = try backend.wire(rooms)
        try backend.take(.unlisten(listener(1)))
        try backend.cut()
        try send(changed(1), to: wire, of: &backend)
        #expect(try total(&backend).reads == 4)
    }

    @Test func `what comes for a lookup that is over costs those for whom it was`() throws {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(2))
        let wire = try backend.wire(rooms)
        try backend.watch(.target(.init(kind: .reset, targets: [wire])))
        try backend.answer(rooms, with: [documents(2)[0]])
        let lookup = try backend.wire(Query(document: key("rooms/1")))
        // The query's own listen tells of the document first, so that nobody looks it up any more.
        try backend.send([documents(2)[1]], to: rooms)
        try backend.reachSnapshot()
        let before = try sums(&backend)
        try send(documents(2)[1], to: lookup, of: &backend)
        let after = try sums(&backend)
        #expect(after["program 1"]?.reads == before["program 1"].map { $0.reads + 1 })
        #expect(after["program 1"]?.aloneReads == before["program 1"]?.aloneReads)
        #expect(after["hearthd"] == nil)
        try backend.watch(.target(.init(kind: .removed(nil), targets: [lookup])))
        try send(documents(2)[1], to: lookup, of: &backend)
        #expect(try sums(&backend) == after)
    }
}
