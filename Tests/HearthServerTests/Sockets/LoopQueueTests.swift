import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import HearthServer

struct LoopQueueTests {
    private let loop = EmbeddedEventLoop()

    @Test func `however many connections come, few come in at a time, in their order`() {
        let queue = LoopQueue(of: loop)
        let entered = Mutex<[Int]>([])
        for number in 1...20 {
            let count = queue.add { entered.withLock { $0.append(number) } }
            #expect(count == number)
        }
        loop.run()
        #expect(entered.withLock { $0 } == Array(1...8))
        loop.run()
        #expect(entered.withLock { $0.count } == 8, "The loop has its round first.")
        loop.advanceTime(by: .milliseconds(1))
        #expect(entered.withLock { $0 } == Array(1...20))
    }

    @Test func `whoever comes while the queue is at work, or later, comes in too`() {
        let queue = LoopQueue(of: loop)
        let count = Atomic(0)
        _ = queue.add {
            count.add(1, ordering: .relaxed)
            _ = queue.add { count.add(1, ordering: .relaxed) }
        }
        loop.run()
        loop.advanceTime(by: .milliseconds(1))
        #expect(count.load(ordering: .relaxed) == 2)
        _ = queue.add { count.add(1, ordering: .relaxed) }
        loop.run()
        loop.advanceTime(by: .milliseconds(1))
        #expect(count.load(ordering: .relaxed) == 3)
    }

    @Test func `each loop has one queue`() {
        let (queues, other) = (LoopQueues(), EmbeddedEventLoop())
        #expect(queues.queue(of: loop) === queues.queue(of: loop))
        #expect(queues.queue(of: loop) !== queues.queue(of: other))
    }
}
