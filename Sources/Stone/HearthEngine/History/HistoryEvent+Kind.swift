package import HearthModel

extension HistoryEvent {
    /// What kind of thing happened.
    ///
    /// The raw values are the numbers in the store and on the wire (`HistoryEntry.Event` of hearth.proto), and
    /// never change. The cases' names are the names that users and JSON have.
    package enum Kind: Int, Hashable, Sendable, CaseIterable {
        /// The cache had the document when the history began.
        case known = 0
        /// The backend told of a version.
        case heard = 1
        /// A write was accepted.
        case accepted = 2
        /// A waiting write was given another content.
        case edited = 3
        /// The backend committed a write.
        case committed = 4
        /// A write was given up.
        case rejected = 5
        /// A waiting write was taken back.
        case withdrawn = 6

        /// The name for users and in JSON.
        package var name: String { "\(self)" }
    }

    /// What kind of thing happened.
    package var kind: Kind {
        switch self {
        case .known: .known
        case .heard: .heard
        case .accepted: .accepted
        case .edited: .edited
        case .committed: .committed
        case .rejected: .rejected
        case .withdrawn: .withdrawn
        }
    }

    /// Joins the parts of an event that came from outside.
    ///
    /// - Parameters:
    ///   - kind: What kind of thing happened.
    ///   - write: The write that the event is about; `nil` for events of the backend.
    ///   - error: Why a write was given up or taken back; `nil` for other events.
    /// - Returns: `nil` if an event of the kind has other parts.
    package init?(_ kind: Kind, _ write: HistoryWrite?, _ error: HearthError?) {
        switch (kind, write, error) {
        case (.known, nil, nil): self = .known
        case (.heard, nil, nil): self = .heard
        case (.accepted, let write?, nil): self = .accepted(write)
        case (.edited, let write?, nil): self = .edited(write)
        case (.committed, let write?, nil): self = .committed(write)
        case (.rejected, let write?, let error?): self = .rejected(write, error)
        case (.withdrawn, let write?, let error?): self = .withdrawn(write, error)
        default: return nil
        }
    }
}
