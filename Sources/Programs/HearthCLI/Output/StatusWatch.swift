import Hearth

/// Tells which looks at the daemon showed something new.
struct StatusWatch {
    /// What is new.
    enum Change {
        /// Nobody listens at the daemon's socket.
        case gone
        /// Somebody listens, and does not answer.
        case silent
        /// The daemon answers, and opens its databases.
        case starting
        /// A database is like this now.
        case status(StatusText)
        /// The daemon has closed a database, because nobody used it.
        case closed(StatusText)
    }

    private enum Look {
        case absent
        case silent
        case starting
        case databases(Seen)
    }

    /// What was seen of each database by its name.
    private typealias Seen = [String: (text: StatusText, signature: [String])]

    /// The last look; `nil` before the first.
    private var last: Look?

    /// Takes one look; `nil` if no daemon answered.
    ///
    /// - Parameter isThere: Whether somebody listened at the socket all the same.
    /// - Returns: What is new, in the order of the list; nothing if only time has passed.
    mutating func saw(_ list: StatusList?, isThere: Bool = false) -> [Change] {
        guard let list else {
            if isThere {
                defer { last = .silent }
                if case .silent? = last { return [] }
                return [.silent]
            }
            defer { last = .absent }
            if case .absent? = last { return [] }
            return [.gone]
        }
        guard !list.texts.isEmpty else {
            defer { last = .starting }
            if case .starting? = last { return [] }
            return [.starting]
        }
        let before = if case .databases(let seen)? = last { seen } else { Seen() }
        var now = Seen()
        var changes: [Change] = []
        for text in list.texts {
            let signature = Self.signature(text)
            now[text.status.name] = (text, signature)
            if before[text.status.name]?.signature != signature { changes.append(.status(text)) }
        }
        let closed = before.filter { now[$0.key] == nil }.sorted { $0.key < $1.key }
        last = .databases(now)
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
