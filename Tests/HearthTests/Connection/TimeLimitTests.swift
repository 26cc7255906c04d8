import HearthTestSupport
import Testing

@testable import Hearth

@Suite(.timeLimit(.minutes(1)))
struct TimeLimitTests {
    @Test func `work that ignores its cancellation is let go when its time is up`() async {
        let work = StubbornWork()
        defer { work.end() }
        await #expect(throws: TimeLimit.Passed.self) {
            try await TimeLimit.keep(.milliseconds(10)) { await work.run() }
        }
    }

    @Test func `work that ends in time gives its answer, or its error`() async throws {
        #expect(try await TimeLimit.keep(.seconds(60)) { 7 } == 7)
        await #expect(throws: FirestoreError(.aborted, "No.")) {
            try await TimeLimit.keep(.seconds(60)) { () async throws -> Int in
                throw FirestoreError(.aborted, "No.")
            }
        }
    }

    @Test func `who is cancelled does not wait for work that goes on`() async {
        let work = StubbornWork()
        defer { work.end() }
        let waiting = Task { try await TimeLimit.keep(.seconds(600)) { await work.run() } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
