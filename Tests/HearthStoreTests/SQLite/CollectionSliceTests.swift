import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore
import Testing

struct CollectionSliceTests {
    private let text = String(repeating: "x", count: 1_000)

    /// A cache of two megabytes: a target with half of the documents, nothing with the others.
    private func fill(_ bench: IndexBench) throws {
        try bench.fill(2_000) { ["n": .integer(Int64($0)), "text": .string(text)] }
        try bench.store.transaction { store throws(StoreError) in
            try store.setTargetData(
                TargetData(id: TargetID(2), target: target("a"), sequenceNumber: 0))
            try store.addKeys((0..<1_000).map { key("a/\($0)") }, to: TargetID(2), at: 0)
        }
    }

    @Test func `collecting goes slice by slice until all that was bound to go is gone`() throws {
        let bench = try IndexBench()
        try fill(bench)
        let before = try bench.fileByteCount
        var collected: [FirestoreEngine.Note] = []
        var slices = 0
        var input = FirestoreEngine.Input.collectGarbage(cacheByteCountMax: 0)
        while true {
            slices += 1
            let actions = try bench.take(input)
            for case .note(let note) in actions { collected.append(note) }
            input = .timerFired(.garbageCollection)
            if actions.contains(.schedule(.garbageCollection, after: CollectionLimits.period)) {
                break
            }
            try #require(slices < 100)
        }
        #expect(collected == [.collected(targets: 1, documents: 2_000)])
        #expect(slices > 6)
        while try bench.store.shrink(pageCountMax: 64) {}
        #expect(try bench.fileByteCount < before / 4)
        #expect(try bench.store.problems().isEmpty)
    }

    @Test func `a cache below its limit is left alone, the queue always`() throws {
        let bench = try IndexBench(collection: .leastUsed(cacheByteCountMax: 100 << 20))
        try fill(bench)
        try bench.take(.timerFired(.garbageCollection))
        #expect(try counts(bench).documentCount == 2_000)
        let write = WriteRequest(
            id: bench.request(), writer: author,
            mutations: [Mutation(key: key("a/1999"), kind: .set(["n": .null]))])
        try bench.take(.write(write))
        try bench.take(.collectGarbage(cacheByteCountMax: 0))
        try bench.fire(.garbageCollection)
        try bench.take(.collectGarbage(cacheByteCountMax: 0))
        try bench.fire(.garbageCollection)
        #expect(try counts(bench).documentCount == 1)
        #expect(try counts(bench).batchCount == 1)
    }

    @Test func `what a round leaves when the program ends is let go after the next start`() throws {
        let bench = try IndexBench(collection: .leastUsed(cacheByteCountMax: 100 << 20))
        try fill(bench)
        try bench.take(.collectGarbage(cacheByteCountMax: 0))
        try bench.restart()
        try bench.fire(.garbageCollection)
        let isLeft = try bench.store.transaction { store throws(StoreError) in
            try store.isInAnyTarget(key("a/999"))
        }
        #expect(!isLeft)
    }

    @Test func `what is counted along is what counting would find`() throws {
        let bench = try IndexBench()
        try fill(bench)
        for number in 0..<20 {
            let mutation = Mutation(key: key("a/\(number)"), kind: .set(["n": .null]))
            let request = WriteRequest(id: bench.request(), writer: author, mutations: [mutation])
            try bench.take(.write(request))
        }
        try bench.store.transaction { store throws(StoreError) in
            try store.setHeld(true, BatchID(3), of: .unauthenticated)
            try store.setHeld(true, BatchID(4), of: .unauthenticated)
            try store.setHeld(false, BatchID(4), of: .unauthenticated)
            try store.removeBatch(BatchID(7), of: .unauthenticated)
            try store.removeRemoteDocument(key("a/5"))
            try store.removeRemoteDocument(key("a/1500"))
            try store.removeKeys([key("a/6"), key("a/1600")], from: TargetID(2), at: 9)
            try store.addKeys([key("a/1700"), key("b/unknown")], to: TargetID(2), at: 9)
        }
        try bench.take(.collectGarbage(cacheByteCountMax: 0))
        let counts = try counts(bench)
        #expect(counts.batchCount == 19)
        #expect(counts.heldBatchCount == 1)
        for (name, sql) in [
            ("documents", "SELECT count(*) FROM remote_documents WHERE read_at IS NOT NULL"),
            ("orphans", "SELECT count(*) FROM document_use WHERE targets = 0"),
            ("targets", "SELECT count(*) FROM targets"),
            ("batches", "SELECT count(*) FROM mutations"),
            ("held_batches", "SELECT count(*) FROM mutations WHERE state = 1"),
            ("batch_bytes", "SELECT sum(byte_count) FROM mutations"),
        ] {
            #expect(
                try bench.number(sql) == bench.number("SELECT \(name) FROM store"), "\(name)")
        }
    }

    private func counts(_ bench: IndexBench) throws -> StoreCounts {
        try bench.store.readers.read { reader throws(StoreError) in try reader.counts() }.value
    }
}
