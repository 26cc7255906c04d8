import Hearth

/// Tells which looks at the daemon showed something new.
struct StatusWatch {
    /// What is new.
    enum Change {
        /// No daemon answers.
        case gone
        /// A database is like this now.
        case status(StatusText)
        /// The daemon has closed a database, because nobody used it.
        case closed(StatusText)
    }

    /// What was seen of each database by its name; `nil` before the first look.
    private var last: [String: (text: StatusText, signature: [String])]?

    /// Takes one look; `nil` if no daemon answered.
    ///
    /// - Returns: What is new, in the order of the list; nothing if only time has passed.
    mutating func saw(_ list: StatusList?) -> [Change] {
        guard let list else {
            defer { last = [:] }
            return last?.isEmpty == true ? [] : [.gone]
        }
        let before = last ?? [:]
        var now: [String: (text: StatusText, signature: [String])] = [:]
        var changes: [Change] = []
        for text in list.texts {
            let signature = Self.signature(text)
            now[text.status.name] = (text, signature)
            if before[text.status.name]?.signature != signature { changes.append(.status(text)) }
        }
        let closed = before.filter { now[$0.key] == nil }.sorted { $0.key < $1.key }
        last = now
        return changes + closed.map { .closed($0.value.text) }
    }

    /// What tells two states apart, but for the ages of things.
    private static func signature(_ text: StatusText) -> [String] {
        let status = text.status
        return [
            text.state.rawValue, status.daemonVersion, status.user, status.upstream,
            "\(status.queueBatchCount) \(status.deadLetterCount) \(status.clientCount)",
            "\(status.listenerCount) \(status.targetCount) \(status.cachedDocumentCount)",
            "\(status.heldBatchCount) \(status.keptPlaceCount) \(status.pinCount) \(status.stoppedPinCount) \(status.connectionError?.description ?? "")",
        ] + status.degradedReasons + status.losses.map(\.path)
    }
}
