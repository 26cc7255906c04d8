/// A bound on how long work is waited for.
///
/// Work whose time is up is cancelled and let go. A group of tasks would wait for work that ignores
/// the cancellation, however long the work takes.
package enum TimeLimit {
    /// The time that some work had has passed.
    package struct Passed: Error {}

    /// Does something, at most so long.
    ///
    /// - Parameter time: How long the work is waited for; `nil` for as long as the work takes.
    /// - Throws: `Passed`, or the error of `work`; `CancellationError` if the caller is cancelled.
    package static func keep<Answer: Sendable>(
        _ time: Duration?, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        guard let time else { return try await work() }
        return try await race(work) {
            try await Task.sleep(for: time)
            throw Passed()
        }
    }

    /// Does something until `obstacle` throws.
    ///
    /// - Throws: The error of whichever ends first; `CancellationError` if the caller is cancelled.
    package static func race<Answer: Sendable>(
        _ work: @escaping @Sendable () async throws -> Answer,
        against obstacle: @escaping @Sendable () async throws -> Void
    ) async throws -> Answer {
        let (results, end) = AsyncStream.makeStream(
            of: Result<Answer, any Error>.self, bufferingPolicy: .bufferingOldest(1))
        let working = Task {
            do { end.yield(.success(try await work())) } catch { end.yield(.failure(error)) }
        }
        let watching = Task {
            do { try await obstacle() } catch { end.yield(.failure(error)) }
        }
        defer {
            working.cancel()
            watching.cancel()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}
