import Synchronization

/// Asks again and again until the answer is what it should be.
///
/// - Throws: `TooLate` after half a minute, with the last answer.
package func eventually<Value: Sendable>(
    _ value: () async throws -> Value, is isRight: (Value) -> Bool
) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
        let last = try await value()
        if isRight(last) { return last }
        guard ContinuousClock.now < deadline else { throw TooLate(last: "\(last)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// A condition did not come to hold.
package struct TooLate: Error {
    /// The last answer.
    package let last: String

    /// Gives up with the last answer.
    package init(last: String) {
        self.last = last
    }
}

extension AsyncIteratorProtocol {
    /// The first element from here on that is what is waited for.
    ///
    /// - Throws: `TooLate` after a minute, with the place of the call and the last element. The task is
    ///   cancelled then, since nothing else ends a sequence that says nothing.
    package mutating func first(
        where isRight: (Element) -> Bool, file: String = #fileID, line: Int = #line
    ) async throws -> Element {
        let deadline = Deadline(after: .seconds(60))
        defer { deadline.end() }
        var last: Element?
        while let element = try await next() {
            if isRight(element) { return element }
            last = element
        }
        let end = deadline.hasPassed ? "nothing more for a minute" : "the end of the sequence"
        let before = last.map { "after \($0)" } ?? "before the first element"
        throw TooLate(last: "\(file):\(line) waited, and there was \(end) \(before)")
    }
}

/// Cancels its own task when nobody ends the wait in time.
private final class Deadline: Sendable {
    private enum State {
        case running
        case ended
        case passed
    }

    private let state = Mutex(State.running)

    init(after patience: Duration) {
        // Used only under the lock and before `end`, while its task waits for that.
        nonisolated(unsafe) let waiting = withUnsafeCurrentTask { $0 }
        Task.detached { [self] in
            try? await Task.sleep(for: patience)
            state.withLock { state in
                guard state == .running else { return }
                state = .passed
                waiting?.cancel()
            }
        }
    }

    var hasPassed: Bool { state.withLock { $0 == .passed } }

    func end() {
        state.withLock { if $0 == .running { $0 = .ended } }
    }
}
