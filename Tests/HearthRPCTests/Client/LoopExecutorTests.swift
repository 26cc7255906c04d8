import NIOCore
import NIOPosix
import Testing

@testable import HearthRPC

struct LoopExecutorTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    @Test func `a task runs on the loop, and goes on there after a wait for another thread`() async
    {
        let places = await Task(executorPreference: LoopExecutor(loop)) { [loop] in
            let atFirst = loop.inEventLoop
            let elsewhere = await Task.detached { loop.inEventLoop }.value
            return (atFirst: atFirst, elsewhere: elsewhere, behind: loop.inEventLoop)
        }.value
        #expect(places.atFirst)
        #expect(!places.elsewhere)
        #expect(places.behind)
    }

    @Test func `a task that waits for the loop lets the loop go on`() async throws {
        let answer = try await Task(executorPreference: LoopExecutor(loop)) { [loop] in
            try await loop.submit { 7 }.get()
        }.value
        #expect(answer == 7)
    }
}
