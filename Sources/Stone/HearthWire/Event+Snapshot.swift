package import HearthModel

extension Event {
    /// A document among a target's results.
    package struct ListedDocument: Hashable, Sendable {
        /// The document, found. Whether local writes are part of it, the flag says, not its state.
        package var document: Document
        /// Whether it contains writes that the backend has not confirmed.
        package var hasPendingWrites: Bool

        /// Lists a document.
        package init(_ document: Document, hasPendingWrites: Bool) {
            self.document = document
            self.hasPendingWrites = hasPendingWrites
        }
    }

    /// What a snapshot says besides its documents.
    package struct SnapshotFlags: Hashable, Sendable {
        /// Whether the backend may know better.
        package var isFromCache: Bool
        /// Whether any of the results has writes that are not confirmed.
        package var hasPendingWrites: Bool
        /// Whether changes of flags only have been left out.
        package var excludesMetadataChanges: Bool
        /// The writes that were rejected since the last snapshot, and whose effect is undone here.
        package var rejectedWrites: [RejectedWrite]

        /// Takes the flags.
        package init(
            isFromCache: Bool, hasPendingWrites: Bool, excludesMetadataChanges: Bool,
            rejectedWrites: [RejectedWrite] = []
        ) {
            self.isFromCache = isFromCache
            self.hasPendingWrites = hasPendingWrites
            self.excludesMetadataChanges = excludesMetadataChanges
            self.rejectedWrites = rejectedWrites
        }
    }

    /// One picture of a target's documents: the whole, or the difference from an earlier one.
    package struct Snapshot: Hashable, Sendable {
        /// The snapshot's number.
        package var id: UInt64
        /// The snapshot it differs from; `nil` if this is the whole state.
        package var base: UInt64?
        /// What is new or different; of a whole state everything, in the order of the query.
        package var documents: [ListedDocument]
        /// What is no longer among the results.
        package var removed: [DocumentKey]
        /// The rest.
        package var flags: SnapshotFlags
        /// Whether this is a part, and the next frame goes on with it.
        package var hasMore: Bool

        /// Takes the parts.
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
