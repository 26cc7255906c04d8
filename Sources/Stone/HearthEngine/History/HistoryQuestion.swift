package import HearthModel

/// Asks for a part of a document's history.
package struct HistoryQuestion: Hashable, Sendable {
    /// The document.
    package var key: DocumentKey
    /// Only entries in front of this number; `nil` for the newest.
    package var before: Int64?
    /// Only entries noted at this time or later.
    package var since: Timestamp?
    /// Asks for the one entry that tells the document at a time of the machine's clock.
    ///
    /// The answer has no entry if nobody knows the document of that time.
    package var at: Timestamp?
    /// How many entries at most; `nil` lets the daemon choose.
    package var countMax: Int?

    /// Asks for the newest entries.
    ///
    /// - Parameters:
    ///   - key: The document.
    ///   - before: Only entries in front of this number; `nil` for the newest.
    ///   - since: Only entries noted at this time or later; `nil` for all.
    ///   - at: The time of the machine's clock for which one entry tells the document; `nil` for
    ///     entries of all times.
    ///   - countMax: How many entries at most; `nil` lets the daemon choose.
    package init(
        of key: DocumentKey, before: Int64? = nil, since: Timestamp? = nil, at: Timestamp? = nil,
        countMax: Int? = nil
    ) {
        self.key = key
        self.before = before
        self.since = since
        self.at = at
        self.countMax = countMax
    }
}

/// A part of a document's history.
package struct HistoryPage: Hashable, Sendable {
    /// The entries, the newest first.
    package var entries: [HistoryEntry]
    /// Whether there are entries in front of the last one.
    package var hasMore: Bool

    /// Takes the parts.
    package init(entries: [HistoryEntry], hasMore: Bool) {
        self.entries = entries
        self.hasMore = hasMore
    }
}

/// How much history a store has.
package struct HistoryFigures: Hashable, Sendable {
    /// Entries.
    package var count = 0
    /// Bytes of the entries.
    package var byteCount = 0
    /// When the oldest entry was noted; `nil` if there is none.
    package var oldestAt: Timestamp?

    /// An empty history's.
    package init() {}
}

/// What a store may forget of its history, the oldest entries first.
package struct HistoryBounds: Hashable, Sendable {
    /// An entry that was noted before this time goes, with all entries in front of it.
    package var notedBefore: Timestamp?
    /// The oldest entries go if they were noted after this time, because a clock was ahead when it
    /// noted them.
    package var notedAfter: Timestamp?
    /// Entries go as long as there are more bytes.
    package var byteCountMax: Int
    /// How many entries go at most.
    package var countMax: Int

    /// Takes the bounds.
    ///
    /// - Parameters:
    ///   - notedBefore: An entry that was noted before this time goes, with all entries in front;
    ///     `nil` if age does not count.
    ///   - notedAfter: The oldest entries go if they were noted after this time, by a clock that
    ///     was ahead; `nil` for no such bound.
    ///   - byteCountMax: Entries go as long as there are more bytes.
    ///   - countMax: How many entries go at most.
    package init(
        notedBefore: Timestamp? = nil, notedAfter: Timestamp? = nil, byteCountMax: Int,
        countMax: Int
    ) {
        self.notedBefore = notedBefore
        self.notedAfter = notedAfter
        self.byteCountMax = byteCountMax
        self.countMax = countMax
    }
}

/// The sizes of a history's parts.
package enum HistoryLimits {
    /// Entries of one page.
    package static let pageCountMax = 100
    /// Bytes of one page, 1 MiB; a page ends in front of the entry that would go beyond, but has one.
    package static let pageByteCountMax = 1 << 20
    /// Bytes of the documents of one entry that a reader is told, 16 MiB: a frame has 17 MiB.
    package static let documentByteCountMax = 16 << 20
    /// Entries that one slice forgets.
    package static let sliceCountMax = 250
    /// Bytes of entries that one slice forgets; the slice ends with the entry that goes beyond.
    package static let sliceByteCountMax = 4 << 20
    /// The bytes of an entry beside content and name, about.
    package static let entryByteCount = 64
    /// Entries that a turn forgets beyond the number of new entries.
    package static let turnCount = 8
    /// How soon after a slice that left something the next one comes.
    package static let slicePause = Duration.milliseconds(3)
    /// The shortest and the longest time until somebody looks again for what is too old.
    package static let lookPeriod = Duration.seconds(10)...Duration.seconds(3_600)
}
