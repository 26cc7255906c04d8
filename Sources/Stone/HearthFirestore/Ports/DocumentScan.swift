package import HearthModel

/// Where a scan looks, and what it may leave out.
package struct DocumentScan: Sendable {
    /// The query; its limit is not applied.
    package let query: Query
    /// Only documents read after this version; zero for all.
    package let readAfter: SnapshotVersion
    /// Documents to return whether they match or not, because local writes may make them match.
    package let including: Set<DocumentKey>
    /// How many matches to return; `nil` for all.
    ///
    /// The first matches in the query's order, or the last if the query's limit counts from the
    /// end. Documents in `including` do not count and are not cut.
    package let firstCount: Int?
    /// Only documents that have all of these fields; documents in `including` are not asked.
    package let having: [FieldPath]
    /// Adds the matches up, instead of returning them. Documents in `including` are left out.
    package let tally: AggregateComputation?
    /// When the scan ends early.
    package let bounds: ScanBounds

    /// Describes a scan.
    ///
    /// - Parameters:
    ///   - query: The query; its limit is not applied.
    ///   - readAfter: Only documents read after this version; zero for all.
    ///   - including: Documents to return whether they match or not, because local writes may make
    ///     them match.
    ///   - firstCount: How many matches to return; `nil` for all.
    ///   - having: Only documents that have all of these fields; documents in `including` are not
    ///     asked.
    ///   - tally: Adds the matches up, instead of returning them; `nil` to return them. Documents
    ///     in `including` are left out.
    ///   - bounds: When the scan ends early.
    package init(
        query: Query, readAfter: SnapshotVersion = .zero, including: Set<DocumentKey> = [],
        firstCount: Int? = nil, having: [FieldPath] = [], tally: AggregateComputation? = nil,
        bounds: ScanBounds = ScanBounds()
    ) {
        self.query = query
        self.readAfter = readAfter
        self.including = including
        self.firstCount = firstCount
        self.having = having
        self.tally = tally
        self.bounds = bounds
    }
}

/// When a scan ends before it has seen everything.
package struct ScanBounds: Sendable {
    /// How many documents a scan looks at before it asks again whether it shall go on.
    package static let askingPeriod = 256

    /// The most documents that the scan looks at; `nil` for all.
    package var examinedCountMax: Int?
    /// About the most bytes of documents that the scan holds; `nil` for any number.
    package var byteCountMax: Int?
    /// Where the scan has room for what it holds; `nil` if nobody counts that.
    package var room: (any SurveyRoom)?
    /// Whether somebody still waits for the scan. Asked now and then.
    package var isWanted: @Sendable () -> Bool

    /// Bounds a scan, which otherwise sees everything.
    ///
    /// - Parameters:
    ///   - examinedCountMax: The most documents that the scan looks at; `nil` for all.
    ///   - byteCountMax: About the most bytes of documents that the scan holds; `nil` for any
    ///     number.
    ///   - isWanted: Whether somebody still waits for the scan. Asked now and then.
    package init(
        examinedCountMax: Int? = nil, byteCountMax: Int? = nil, room: (any SurveyRoom)? = nil,
        isWanted: @escaping @Sendable () -> Bool = { true }
    ) {
        self.examinedCountMax = examinedCountMax
        self.byteCountMax = byteCountMax
        self.room = room
        self.isWanted = isWanted
    }

    /// Whether a scan that has looked at so many documents may look at one more.
    package func admitsMore(after examinedCount: Int) -> Bool {
        if let examinedCountMax, examinedCount >= examinedCountMax { return false }
        return !examinedCount.isMultiple(of: Self.askingPeriod) || isWanted()
    }

    /// Leaves what the result of one scan leaves for the next.
    mutating func take(_ result: ScanResult) {
        examinedCountMax = examinedCountMax.map { $0 - result.scannedCount }
        byteCountMax = byteCountMax.map { byteCountMax in
            result.documents.values.reduce(byteCountMax) { $0 - $1.fields.byteCountBound }
        }
    }

    /// Whether a scan may hold documents of so many bytes.
    package func admits(byteCount: Int) -> Bool {
        byteCountMax.map { byteCount <= $0 } ?? true
    }
}

/// How many documents of unknown size to read at once: a few large ones, or many small ones.
struct ReadingPace {
    /// About how many bytes of documents to read at once.
    static let byteCount = 256 << 10

    /// How many documents to read next.
    private(set) var count = 4

    /// Learns from the documents that were read last how large the next may be.
    mutating func read(_ documents: some Collection<Document>) {
        guard !documents.isEmpty else { return }
        let byteCount = documents.reduce(0) { $0 + $1.fields.byteCountBound }
        let fitting = Self.byteCount / max(byteCount / documents.count, 1)
        count = min(max(fitting, 1), ScanBounds.askingPeriod)
    }
}

/// What a scan takes of its room.
extension ScanBounds {
    /// Bytes that the scan, and all that was held before, have of the room.
    package var heldByteCount: Int { room?.heldByteCount ?? 0 }

    /// Makes room for a document, or does not. O(parts of the document) if somebody counts.
    package func hold(_ document: Document) -> Bool {
        room.map { $0.hold(document.surveyByteCount) } ?? true
    }

    /// Makes room for so many elements of the same size, or does not.
    package func hold(_ count: Int, of byteCount: Int) -> Bool {
        room.map { $0.hold(count * byteCount) } ?? true
    }

    /// A document is held no more.
    package func letGo(_ document: Document) { room?.letGo(document.surveyByteCount) }

    /// Nothing is held any more of what was found since so many bytes were held: the way led nowhere.
    package func letGo(downTo byteCount: Int) {
        guard let room else { return }
        room.letGo(max(0, room.heldByteCount - byteCount))
    }
}

/// What a scan found.
package struct ScanResult: Sendable {
    /// The documents, by key. Not all of them if the scan ended early.
    package let documents: [DocumentKey: Document]
    /// How many were looked at.
    package let scannedCount: Int
    /// The scan's tally with the matches added.
    package let tally: AggregateComputation?
    /// Whether the scan saw everything.
    package let isWhole: Bool

    /// Reports a scan.
    ///
    /// - Parameters:
    ///   - documents: The documents, by key; only a part of them if the scan ended early.
    ///   - scannedCount: How many documents the scan looked at.
    ///   - tally: The scan's tally with the matches added; `nil` for a scan that returns documents.
    ///   - isWhole: Whether the scan saw everything.
    package init(
        documents: [DocumentKey: Document], scannedCount: Int, tally: AggregateComputation? = nil,
        isWhole: Bool = true
    ) {
        self.documents = documents
        self.scannedCount = scannedCount
        self.tally = tally
        self.isWhole = isWhole
    }
}
