import Synchronization

/// Shows a `ProgressBar` on standard error, if a person reads it.
final class ProgressDisplay: Sendable {
    private let bar: ProgressBar
    /// Whether anybody sees it.
    let isShown: Bool
    private let startedAt = ContinuousClock.now
    private let state: Mutex<State>

    private struct State {
        var isOpen: Bool
        var pace = Pace()
    }

    /// Shows an empty bar.
    init(_ label: String, total: Int, isShown: Bool) {
        bar = ProgressBar(label: label, total: total, width: Terminal.width(.error))
        self.isShown = isShown && Terminal.isOurs(.error)
        state = Mutex(State(isOpen: self.isShown))
        show(0)
    }

    /// Shows how many things are done.
    func show(_ done: Int) {
        let elapsed = startedAt.duration(to: .now)
        state.withLock { state in
            // A redraw after the end would overwrite the next output.
            guard state.isOpen else { return }
            state.pace.note(done, after: elapsed)
            let line = TerminalText.line(bar.line(done: done, rate: state.pace.rate))
            Terminal.order("\r\u{1B}[K\(line)", to: .error)
        }
    }

    /// Leaves the bar as it is, and goes to the next line.
    func close() {
        state.withLock { state in
            if state.isOpen { Terminal.write("\n", to: .error) }
            state.isOpen = false
        }
    }
}
