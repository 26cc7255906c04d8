import Dispatch
import HearthServer
import Synchronization
import Testing

struct FairQueueTests {
    @Test func `who asks a hundred things does not keep another from his answer`() async {
        let queue = DispatchQueue(label: "questions")
        let questions = FairQueue(on: queue, part: 1)
        let answered = Mutex<[UInt32]>([])
        queue.suspend()
        await withCheckedContinuation { continuation in
            let ask: @Sendable (UInt32, UInt64) -> Void = { uid, session in
                questions.run(from: .session(session, of: uid)) {
                    let count = answered.withLock { answered in
                        answered.append(uid)
                        return answered.count
                    }
                    if count == 101 { continuation.resume() }
                }
            }
            for session in UInt64(1)...100 { ask(1, session) }
            ask(2, 101)
            queue.resume()
        }
        #expect(answered.withLock { $0.count } == 101)
        #expect(answered.withLock { $0.firstIndex(of: 2) } ?? 101 <= 1)
    }

    @Test func `users rest after their work, and root does not wait for that`() async {
        let questions = FairQueue(on: DispatchQueue(label: "questions"), part: 0.001)
        let answered = Mutex<[String]>([])
        questions.run(from: .session(1, of: 1)) {
            let end = ContinuousClock.now + .milliseconds(20)
            while ContinuousClock.now < end {}
            answered.withLock { $0.append("user") }
        }
        questions.run(from: .session(2, of: 1)) { answered.withLock { $0.append("user again") } }
        await withCheckedContinuation { continuation in
            questions.run(from: .session(3, of: 0)) {
                answered.withLock { $0.append("root") }
                continuation.resume()
            }
        }
        #expect(answered.withLock { $0 } == ["user", "root"])
    }
}
