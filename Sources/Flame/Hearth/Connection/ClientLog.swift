import Glibc
import Synchronization

/// The library's log on standard error, which a program can enable.
enum ClientLog {
    private static let isEnabled = Atomic<Bool>(false)

    /// Enables or disables the log.
    static func enable(_ isEnabled: Bool) {
        Self.isEnabled.store(isEnabled, ordering: .relaxed)
    }

    /// Writes one line, if the log is enabled.
    static func note(_ message: @autoclosure () -> String) {
        guard isEnabled.load(ordering: .relaxed) else { return }
        let line = Array("hearth: \(message())\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
