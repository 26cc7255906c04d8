import HearthTestSupport
import HearthWire
import Testing

@testable import Hearth

@Suite(.timeLimit(.minutes(1)))
struct StatusLoopTests {
    @Test func `an older daemon's answer is not waited for, though the question goes on`() async {
        let work = StubbornWork()
        defer { work.end() }
        let patience = Duration.milliseconds(10)
        var loop = StatusLoop(
            StatusLoop.Source(
                scope: .database,
                ask: {
                    await work.run()
                    return []
                },
                listen: { _, tell in
                    tell(.failure(FirestoreError(.unimplemented, "An older daemon.")))
                    return {}
                },
                isOver: { false }, pause: nil, patience: patience))
        let news = await loop.next()
        #expect(news == StatusLoop.News.failure(StatusLoop.silence(for: patience)))
    }
}
