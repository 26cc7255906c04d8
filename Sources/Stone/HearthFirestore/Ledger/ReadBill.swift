import HearthEngine
package import HearthModel

/// How many documents the backend bills for what it was asked.
///
/// - Source: firebase.google.com/docs/firestore/pricing, as of 2026.
package enum ReadBill {
    /// How old the resume point of a listener may be for the backend to bill only what changed.
    package static let resumeAgeMax = Duration.seconds(30 * 60)
    /// Index entries that an aggregation reads for the price of one document.
    package static let aggregationEntryCount: UInt64 = 1_000
    /// A part of a list of collections, however many collections the part names.
    package static let collectionList: UInt64 = 1

    /// The reads of a query that is asked once: the found documents and the documents that an
    /// offset skipped; at least one.
    package static func query(foundCount: Int, skippedCount: Int = 0) -> UInt64 {
        max(1, UInt64(max(0, foundCount)).added(UInt64(max(0, skippedCount))))
    }

    /// Documents that are read by name: one each, found or missing.
    package static func documents(_ count: Int) -> UInt64 { UInt64(max(0, count)) }

    /// Numbers over a query's results: one for up to 1,000 index entries, and at least one.
    ///
    /// - Parameter entryCount: The entries, as far as the answer tells; `nil` if it does not.
    package static func aggregation(entryCount: Int64?) -> UInt64 {
        let count = UInt64(max(0, entryCount ?? 0))
        let (whole, rest) = count.quotientAndRemainder(dividingBy: aggregationEntryCount)
        return max(1, rest == 0 ? whole : whole + 1)
    }

    /// A document's message to one listener that the message puts the document into.
    ///
    /// A deletion costs nothing.
    package static func entering(_ change: DocumentWatchChange) -> UInt64 {
        change.document?.isFound ?? false ? 1 : 0
    }

    /// A document's message to one listener that the message takes the document from.
    ///
    /// A document that left the results by a change costs one read; a deleted document costs nothing.
    package static func leaving(_ change: DocumentWatchChange) -> UInt64 {
        change.document?.isMissing ?? false ? 0 : 1
    }

    /// How the backend bills a listen that begins at a resume point of this version.
    package static func start(resumedFrom version: SnapshotVersion?, at now: Timestamp)
        -> ListenStart
    {
        guard let version else { return .fresh }
        return now.since(version.timestamp) <= resumeAgeMax ? .resumed : .late
    }
}

/// How a listen begins, to the bill.
package enum ListenStart: Hashable, Sendable {
    /// Without a resume point: all results are sent and billed.
    case fresh
    /// Soon after its resume point: only what changed is billed.
    case resumed
    /// Later: only what changed is sent, and all results are billed, as of a new query.
    case late
}

/// The bill of one listen, from its beginning until the backend has said all.
package struct ListenBill: Hashable, Sendable {
    /// How the listen began.
    package let start: ListenStart
    /// What was billed so far.
    package private(set) var readCount: UInt64 = 0
    /// Whether the backend has said all once.
    package private(set) var isCurrent = false

    /// Begins a bill.
    package init(_ start: ListenStart) { self.start = start }

    /// Counts messages; what they cost.
    package mutating func count(_ reads: UInt64) {
        if !isCurrent { readCount = readCount.added(reads) }
    }

    /// The backend has said all, and the target has so many results.
    ///
    /// - Returns: What is billed besides what was sent.
    package mutating func becameCurrent(resultCount: Int) -> UInt64 {
        guard !isCurrent else { return 0 }
        isCurrent = true
        let whole: UInt64
        switch start {
        case .fresh: whole = 1
        case .resumed: whole = 0
        case .late: whole = ReadBill.query(foundCount: resultCount)
        }
        let missing = whole > readCount ? whole - readCount : 0
        readCount = readCount.added(missing)
        return missing
    }
}
