import Glibc
import Synchronization

/// What the library tells about itself on standard error, if a program wants it to.
enum ClientLog {
    private static let isEnabled = Atomic<Bool>(false)

    /// Begins or ends the telling.
    static func enable(_ isEnabled: Bool) {
        Self.isEnabled.store(isEnabled, ordering: .relaxed)
    }

    /// Tells one thing, in a line.
    static func note(_ message: @autoclosure () -> String) {
        guard isEnabled.load(ordering: .relaxed) else { return }
        let line = Array("hearth: \(message())\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
