package import HearthModel

extension Event {
    /// A document among a target's results.
    package struct ListedDocument: Hashable, Sendable {
        /// The document, which exists. `hasPendingWrites`, not the document's state, tells whether
        /// local writes are part of the document.
        package var document: Document
        /// Whether the document contains writes that the backend has not confirmed.
        package var hasPendingWrites: Bool

        /// Lists a document.
        package init(_ document: Document, hasPendingWrites: Bool) {
            self.document = document
            self.hasPendingWrites = hasPendingWrites
        }
    }

    /// The facts of a snapshot besides its documents.
    package struct SnapshotFlags: Hashable, Sendable {
        /// Whether the documents come from the cache, and the backend may hold a newer state.
        package var isFromCache: Bool
        /// Whether any result contains writes that the backend has not confirmed.
        package var hasPendingWrites: Bool
        /// Whether the snapshot leaves out documents whose flags alone changed.
        package var excludesMetadataChanges: Bool
        /// The writes that were rejected since the last snapshot. This snapshot no longer shows
        /// their effect.
        package var rejectedWrites: [RejectedWrite]
        /// For which change of the cache a read of the cache would find just these documents; 0 if
        /// the daemon does not say.
        package var changeNumber: UInt64

        /// Takes the flags.
        ///
        /// - Parameters:
        ///   - isFromCache: Whether the documents come from the cache, and the backend may hold a
        ///     newer state.
        ///   - hasPendingWrites: Whether any result contains writes that the backend has not
        ///     confirmed.
        ///   - excludesMetadataChanges: Whether the snapshot leaves out documents whose flags alone
        ///     changed.
        ///   - rejectedWrites: The writes that were rejected since the last snapshot. This snapshot
        ///     no longer shows their effect.
        ///   - changeNumber: For which change of the cache a read of the cache would find just
        ///     these documents; 0 if the daemon does not say.
        package init(
            isFromCache: Bool, hasPendingWrites: Bool, excludesMetadataChanges: Bool,
            rejectedWrites: [RejectedWrite] = [], changeNumber: UInt64 = 0
        ) {
            self.isFromCache = isFromCache
            self.hasPendingWrites = hasPendingWrites
            self.excludesMetadataChanges = excludesMetadataChanges
            self.rejectedWrites = rejectedWrites
            self.changeNumber = changeNumber
        }
    }

    /// A target's documents at one moment: the whole state, or the difference from an earlier
    /// snapshot.
    package struct Snapshot: Hashable, Sendable {
        /// The snapshot's number.
        package var id: UInt64
        /// The snapshot that the difference starts from; `nil` for the whole state.
        package var base: UInt64?
        /// The documents that are new or different; for a whole state all documents, in the order
        /// of the query.
        package var documents: [ListedDocument]
        /// The documents that are no longer among the results.
        package var removed: [DocumentKey]
        /// The flags.
        package var flags: SnapshotFlags
        /// Whether the next frame goes on with this snapshot.
        package var hasMore: Bool

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - id: The snapshot's number.
        ///   - base: The snapshot that the difference starts from; `nil` for the whole state.
        ///   - documents: The documents that are new or different; for a whole state all documents,
        ///     in the order of the query.
        ///   - removed: The documents that are no longer among the results.
        ///   - flags: The flags.
        ///   - hasMore: Whether the next frame goes on with this snapshot.
        package init(
            id: UInt64, base: UInt64?, documents: [ListedDocument], removed: [DocumentKey] = [],
            flags: SnapshotFlags, hasMore: Bool = false
        ) {
            self.id = id
            self.base = base
            self.documents = documents
            self.removed = removed
            self.flags = flags
            self.hasMore = hasMore
        }

        /// Goes on with the next part, which has the same id.
        package mutating func append(_ part: Snapshot) {
            precondition(hasMore && part.id == id, "Part of \(part.id) after \(id)")
            documents += part.documents
            removed += part.removed
            flags = part.flags
            hasMore = part.hasMore
        }
    }
}
