import HearthEngine
import HearthFirestore
import HearthModel
import Testing

struct PendingWritesTests {
    private func request(_ session: UInt64, _ number: UInt64) -> RequestID {
        RequestID(session: session, number: number)
    }

    @Test func `whoever wrote a batch is told once`() {
        var pending = PendingWrites()
        pending.await(BatchID(1), for: request(1, 1))
        pending.await(BatchID(2), for: request(2, 1))
        #expect(pending.settled(BatchID(1)).writer == request(1, 1))
        #expect(pending.settled(BatchID(1)).writer == nil)
        #expect(pending.settled(BatchID(2)).writer == request(2, 1))
    }

    @Test func `a session that is gone is not told, others are`() {
        var pending = PendingWrites()
        pending.await(BatchID(1), for: request(1, 1))
        pending.await(BatchID(2), for: request(2, 1))
        pending.await(BatchID(3), for: request(1, 2))
        pending.remove(session: 1)
        #expect(pending.settled(BatchID(1)).writer == nil)
        #expect(pending.settled(BatchID(2)).writer == request(2, 1))
        #expect(pending.settled(BatchID(3)).writer == nil)
    }

    @Test func `a batch that was asked for again belongs to the session that asked last`() {
        var pending = PendingWrites()
        pending.await(BatchID(1), for: request(1, 1))
        pending.await(BatchID(1), for: request(2, 1))
        pending.remove(session: 1)
        #expect(pending.settled(BatchID(1)).writer == request(2, 1))
        pending.await(BatchID(2), for: request(3, 1))
        pending.await(BatchID(2), for: request(3, 2))
        pending.remove(session: 3)
        #expect(pending.settled(BatchID(2)).writer == nil)
    }

    @Test func `who waits for all batches is told with the last of them`() {
        var pending = PendingWrites()
        pending.awaitAll(upTo: BatchID(2), for: request(1, 9))
        #expect(pending.settled(BatchID(1)).waiters == [])
        #expect(pending.settled(BatchID(2)).waiters == [request(1, 9)])
        #expect(pending.settled(BatchID(2)).waiters == [])
    }
}
