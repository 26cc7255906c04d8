import HearthEngine
import Synchronization

/// Why the daemon does less than it should, by subject, and which databases each reason concerns.
final class DegradedReasons: Sendable {
    private struct Reason {
        let text: String
        let concerns: @Sendable (EngineKey) -> Bool
    }

    private let reasons = Mutex<[String: Reason]>([:])

    /// Sets the reason of a subject, or takes the reason back.
    ///
    /// - Returns: Whether the text is another than before.
    func set(
        _ text: String?, for subject: String,
        concerning concerns: @escaping @Sendable (EngineKey) -> Bool
    ) -> Bool {
        reasons.withLock { reasons in
            defer { reasons[subject] = text.map { Reason(text: $0, concerns: concerns) } }
            return reasons[subject]?.text != text
        }
    }

    /// All reasons, in the order of their subjects.
    var all: [String] { sorted.map(\.text) }

    /// The reasons that concern a database, in the order of their subjects.
    func concerning(_ key: EngineKey) -> [String] {
        sorted.filter { $0.concerns(key) }.map(\.text)
    }

    private var sorted: [Reason] {
        reasons.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
    }
}
