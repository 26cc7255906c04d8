import Hearth

/// Tells which looks at the daemon showed something new.
struct StatusWatch {
    /// What is new.
    enum Change {
        /// No daemon answers.
        case gone
        /// It is like this now.
        case status(StatusText)
    }

    private var last: [String]?

    /// Takes one look; `nil` if no daemon answered.
    ///
    /// - Returns: What is new; `nil` if only time has passed.
    mutating func saw(_ text: StatusText?) -> Change? {
        let signature = text.map(Self.signature) ?? []
        defer { last = signature }
        guard signature != last else { return nil }
        return text.map(Change.status) ?? .gone
    }

    /// What tells two states apart, but for the ages of things.
    private static func signature(_ text: StatusText) -> [String] {
        let status = text.status
        return [
            text.state.rawValue, status.daemonVersion, status.user, status.upstream,
            "\(status.queueBatchCount) \(status.deadLetterCount) \(status.clientCount)",
            "\(status.listenerCount) \(status.targetCount) \(status.cachedDocumentCount)",
            "\(status.heldBatchCount) \(status.connectionError?.description ?? "")",
        ] + status.degradedReasons
    }
}
