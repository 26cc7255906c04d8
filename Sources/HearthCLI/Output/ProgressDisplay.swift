import Synchronization

/// Shows a `ProgressBar` on standard error, if a person reads it.
final class ProgressDisplay: Sendable {
    private let bar: ProgressBar
    /// Whether anybody sees it.
    let isShown: Bool
    private let startedAt = ContinuousClock.now
    private let isOpen: Mutex<Bool>

    /// Shows an empty bar.
    init(_ label: String, total: Int, isShown: Bool) {
        bar = ProgressBar(label: label, total: total, width: Terminal.width(.error))
        self.isShown = isShown && Terminal.isOurs(.error)
        isOpen = Mutex(self.isShown)
        show(0)
    }

    /// Shows how many things are done.
    func show(_ done: Int) {
        let line = bar.line(done: done, elapsed: startedAt.duration(to: .now))
        isOpen.withLock { isOpen in
            // Whoever comes after the end would write over what is shown next.
            if isOpen { Terminal.write("\r\u{1B}[K\(line)", to: .error) }
        }
    }

    /// Leaves the bar as it is, and goes to the next line.
    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Terminal.write("\n", to: .error) }
            isOpen = false
        }
    }
}
