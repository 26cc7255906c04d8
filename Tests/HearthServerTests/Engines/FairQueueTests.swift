import Dispatch
import HearthServer
import Synchronization
import Testing

struct QuestionQueueTests {
    @Test func `who asks a hundred things does not keep another from his answer`() async {
        let queue = DispatchQueue(label: "questions")
        let questions = QuestionQueue(on: queue)
        let answered = Mutex<[UInt32]>([])
        queue.suspend()
        let ask: @Sendable (UInt32, UInt64) -> Void = { uid, session in
            questions.run(from: .session(session, of: uid)) { answered.withLock { $0.append(uid) } }
        }
        for session in UInt64(1)...100 { ask(1, session) }
        ask(2, 101)
        queue.resume()
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
        #expect(answered.withLock { $0.count } == 101)
        #expect(answered.withLock { $0.firstIndex(of: 2) } ?? 101 <= 1)
    }
}
