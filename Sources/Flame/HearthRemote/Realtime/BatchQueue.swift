import Synchronization

/// Passes elements from many threads to a task, which takes all waiting elements at once.
///
/// Whoever puts elements in bounds how many wait.
final class BatchQueue<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var taker: CheckedContinuation<[Element]?, Never>?
        var isOver = false
    }

    private let state = Mutex(State())

    /// Adds an element after the others. After the end, the element is dropped.
    func put(_ element: Element) {
        let taker = state.withLock { state -> CheckedContinuation<[Element]?, Never>? in
            if state.isOver { return nil }
            guard let taker = state.taker else {
                state.waiting.append(element)
                return nil
            }
            state.taker = nil
            return taker
        }
        taker?.resume(returning: [element])
    }

    /// Waits for elements, and takes all. Only one task may take.
    ///
    /// - Returns: The elements in the order in which they were put; `nil` at the end.
    func take() async -> [Element]? {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> [Element]?? in
                precondition(state.taker == nil, "Two tasks take from one queue")
                if state.isOver { return .some(nil) }
                guard !state.waiting.isEmpty else {
                    state.taker = continuation
                    return nil
                }
                defer { state.waiting = [] }
                return state.waiting
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Drops what waits, and lets the taker end.
    func end() {
        let taker = state.withLock { state in
            defer { state.taker = nil }
            state.isOver = true
            state.waiting = []
            return state.taker
        }
        taker?.resume(returning: nil)
    }
}
