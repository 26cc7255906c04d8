import Synchronization

/// Work that goes on though its task is cancelled, until its test ends the work.
package final class StubbornWork: Sendable {
    private struct State {
        var isEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Work that has not begun.
    package init() {}

    /// Returns after `end`, and not before.
    package func run() async {
        await withCheckedContinuation { continuation in
            let isEnded = state.withLock { state in
                if !state.isEnded { state.waiting.append(continuation) }
                return state.isEnded
            }
            if isEnded { continuation.resume() }
        }
    }

    /// Lets the work end, so that the test leaves no task behind.
    package func end() {
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
