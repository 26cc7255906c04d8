import HearthModel

extension GatewayTarget {
    /// What a client is told of a target, at once; steady targets share a telling.
    final class Telling: Sendable {
        /// Why a client is told.
        enum Occasion: Equatable, Sendable {
            /// The target becomes current; perhaps all that was told before is void.
            case beginning(isReset: Bool)
            /// Something has changed since.
            case news
            /// Nothing has changed that a client would see.
            case nothing
        }

        /// A document that is in the target no more.
        struct Removal: Sendable {
            /// The document's name.
            let key: DocumentKey
            /// Whether the document is known to exist no more.
            let isDeleted: Bool
            /// Up to when the backend has told of the document; `nil` if it told nothing.
            let at: Timestamp?
        }

        /// Why the client is told.
        let occasion: Occasion
        /// What the client is shown afterwards.
        let picture: SentHistory.Picture
        /// The documents that are there no more.
        let removals: [Removal]
        /// The documents that are new or otherwise, in the order of the query.
        let changed: [Document]
        /// The same changed documents for many clients; `nil` if they are for this client alone.
        let shared: SharedDocuments?
        /// The removed and the changed documents.
        let names: Set<DocumentKey>

        /// Tells of the difference of a picture from the picture before.
        ///
        /// - Parameter isShared: Whether the changed documents are encoded once for all clients
        ///   that are told the same.
        init(
            _ occasion: Occasion, of picture: SentHistory.Picture, _ difference: SnapshotDifference,
            _ removals: [Removal], isShared: Bool
        ) {
            self.occasion = occasion
            self.picture = picture
            self.removals = removals
            changed = difference.changed
            shared = isShared ? SharedDocuments(difference.changed) : nil
            names = difference.names
        }

        /// Whether all that was told before is void.
        var isReset: Bool { occasion == .beginning(isReset: true) }

        /// Whether the telling makes the target current.
        var isFirst: Bool { if case .beginning = occasion { true } else { false } }
    }
}
