import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

struct WritePipelineTests {
    private func batch(_ id: Int64) -> QueuedBatch {
        QueuedBatch(
            batch: MutationBatch(
                id: BatchID(id), writtenAt: start,
                mutations: [Mutation(key: key("r/\(id)"), kind: .delete)]),
            user: .unauthenticated, writer: Writer(uid: 0, gid: 0, pid: 1))
    }

    @Test func `nothing is sent before the handshake, everything once after it`() {
        var pipeline = WritePipeline()
        pipeline.append(batch(1))
        pipeline.append(batch(2))
        #expect(pipeline.nextToSend() == nil)
        pipeline.handshaken([7])
        #expect(pipeline.nextToSend()?.batch.batch.id == BatchID(1))
        #expect(pipeline.nextToSend()?.batch.batch.id == BatchID(2))
        #expect(pipeline.nextToSend() == nil)
    }

    @Test func `answers come in the order of sending and carry the newest token`() {
        var pipeline = WritePipeline()
        pipeline.handshaken([1])
        pipeline.append(batch(1))
        _ = pipeline.nextToSend()
        #expect(pipeline.answered([2])?.batch.id == BatchID(1))
        pipeline.append(batch(2))
        #expect(pipeline.nextToSend()?.token == [2])
        #expect(pipeline.answered([3])?.batch.id == BatchID(2))
        #expect(pipeline.answered([4]) == nil)
    }

    @Test func `a lost stream sends again, and knows what may have been applied`() {
        var pipeline = WritePipeline()
        pipeline.handshaken([1])
        pipeline.append(batch(1))
        pipeline.append(batch(2))
        _ = pipeline.nextToSend()
        pipeline.streamClosed()
        #expect(pipeline.batches.map(\.state) == [.sentUnanswered, .queued])
        pipeline.handshaken([2])
        #expect(pipeline.nextToSend()?.batch.batch.id == BatchID(1))
    }

    @Test func `there is room for ten`() {
        var pipeline = WritePipeline()
        for id in 1...10 { pipeline.append(batch(Int64(id))) }
        #expect(!pipeline.hasRoom)
        #expect(pipeline.lastID == BatchID(10))
    }

    @Test func `what is in doubt goes alone, and only then the rest together`() {
        var pipeline = WritePipeline()
        pipeline.handshaken([1])
        pipeline.append(batch(1))
        pipeline.append(batch(2))
        _ = pipeline.nextToSend()
        _ = pipeline.nextToSend()
        pipeline.streamClosed()
        pipeline.append(batch(3))
        pipeline.append(batch(4))
        pipeline.handshaken([2])
        #expect(pipeline.nextToSend()?.batch.batch.id == BatchID(1))
        #expect(pipeline.nextToSend() == nil)
        #expect(pipeline.answered([3])?.batch.id == BatchID(1))
        #expect(pipeline.nextToSend()?.batch.batch.id == BatchID(2))
        #expect(pipeline.nextToSend() == nil)
        #expect(pipeline.answered([4])?.batch.id == BatchID(2))
        #expect(pipeline.nextToSend()?.batch.batch.id == BatchID(3))
        #expect(pipeline.nextToSend()?.batch.batch.id == BatchID(4))
    }

    @Test func `only one that was sent alone is known to have ended the stream`() {
        var pipeline = WritePipeline()
        pipeline.handshaken([1])
        pipeline.append(batch(1))
        pipeline.append(batch(2))
        #expect(pipeline.soleSent == nil)
        _ = pipeline.nextToSend()
        #expect(pipeline.soleSent?.batch.id == BatchID(1))
        _ = pipeline.nextToSend()
        #expect(pipeline.soleSent == nil)
    }

    @Test func `one that cannot be sent puts none behind it in doubt`() {
        var pipeline = WritePipeline()
        pipeline.handshaken([1])
        for id in 1...3 {
            pipeline.append(batch(Int64(id)))
            _ = pipeline.nextToSend()
        }
        #expect(pipeline.removeUnsendable(BatchID(2))?.batch.id == BatchID(2))
        #expect(pipeline.removeUnsendable(BatchID(2)) == nil)
        pipeline.streamClosed()
        #expect(pipeline.batches.map(\.state) == [.sentUnanswered, .queued])
    }

    @Test func `a stream that the backend ended over the first has applied none of its batches`() {
        let denied = HearthError(code: .permissionDenied, message: "Not yours.")
        let bad = HearthError(code: .invalidArgument, message: "Cannot be sent.")
        var pipeline = WritePipeline()
        pipeline.handshaken([1])
        for id in 1...3 {
            pipeline.append(batch(Int64(id)))
            _ = pipeline.nextToSend()
        }
        pipeline.streamClosed(over: denied)
        let sent = pipeline.batches
        #expect(!pipeline.mayHaveApplied(sent[0], refusedWith: denied))
        #expect(pipeline.mayHaveApplied(sent[0], refusedWith: bad))
        #expect(pipeline.mayHaveApplied(sent[1], refusedWith: denied))
        pipeline.handshaken([2])
        _ = pipeline.nextToSend()
        pipeline.refused(with: denied)
        #expect(!pipeline.mayHaveApplied(sent[1], refusedWith: bad))
        #expect(!pipeline.mayHaveApplied(sent[2], refusedWith: bad))
        _ = pipeline.nextToSend()
        pipeline.streamClosed()
        #expect(pipeline.mayHaveApplied(sent[1], refusedWith: bad))
        #expect(!pipeline.mayHaveApplied(sent[2], refusedWith: bad))
        pipeline.clear()
        #expect(pipeline.mayHaveApplied(sent[2], refusedWith: bad))
    }
}
