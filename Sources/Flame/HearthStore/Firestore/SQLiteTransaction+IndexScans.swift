package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthProtocol
import HearthSQLite

/// Walks through indexes: the remote documents without an overlay, and the documents with one.
extension SQLiteTransaction {
    package func localDocuments(_ scan: IndexScan, of user: UserID) throws(StoreError)
        -> ScanResult
    {
        let queue = try queueID(user)
        let overlaid = try queue.flatMap { (queue) throws(StoreError) in
            try hasOverlays(queue) ? queue : nil
        }
        let collections: [Int64] =
            scan.index.index.scope == .group
            ? [0] : try collectionID(scan.query.path).map { [$0] } ?? []
        var documents: [DocumentKey: Document] = [:]
        var scannedCount = 0
        for collection in collections {
            for range in scan.ranges {
                var walk = IndexWalk(scan, codec, after: scannedCount)
                try walkDocuments(range, collection, without: overlaid, &walk)
                if walk.isCut { return .cut(after: scannedCount + walk.scannedCount) }
                for document in walk.leading.documents {
                    documents[document.key] =
                        scan.isOrdered ? document : try remoteDocument(document.key)
                }
                documents.merge(walk.documents) { $1 }
                scannedCount += walk.scannedCount
                guard let overlaid else { continue }
                var pending = IndexWalk(scan, codec, after: scannedCount)
                try walkOverlays(range, collection, of: overlaid, &pending)
                if pending.isCut { return .cut(after: scannedCount + pending.scannedCount) }
                for document in pending.leading.documents { documents[document.key] = document }
                scannedCount += pending.scannedCount
            }
        }
        return ScanResult(documents: documents, scannedCount: scannedCount)
    }

    private func walkDocuments(
        _ range: IndexRange, _ collection: Int64, without queue: Int64?, _ walk: inout IndexWalk
    ) throws(StoreError) {
        let statement =
            walk.scan.isReversed
            ? try connection.statement(
                """
                SELECT d.name, d.kind, d.has_committed, d.read_at, d.version, d.content,
                    d.collection
                FROM index_entries e CROSS JOIN remote_documents d ON d.id = e.document
                WHERE e.index_id = ? AND e.collection = ? AND e.value >= ? AND e.value < ?
                ORDER BY e.value DESC
                """)
            : try connection.statement(
                """
                SELECT d.name, d.kind, d.has_committed, d.read_at, d.version, d.content,
                    d.collection
                FROM index_entries e CROSS JOIN remote_documents d ON d.id = e.document
                WHERE e.index_id = ? AND e.collection = ? AND e.value >= ? AND e.value < ?
                ORDER BY e.value
                """)
        statement.bind(
            walk.scan.index.id.rawValue, collection, range.lower, range.upper ?? [0xFF])
        try statement.whileNext { row throws(StoreError) in
            guard walk.begin() else { return false }
            let fields = try row.withBytes(5) { content throws(StoreError) in
                try reader.fields(walk.matcher.selection, of: content)
            }
            if walk.isBehindLast(fields) { return false }
            guard walk.matcher.mayMatch(fields) else { return true }
            let path = try self.collection(row.int(6))
            if let queue, try hasOverlay(queue, row.int(6), row.bytes(0)) { return true }
            let key = try row.withBytes(0) { name throws(StoreError) in
                try PathKey.key(in: path, named: name)
            }
            let excerpt = Document.found(key, at: .zero, fields)
            guard walk.scan.query.matchesPath(key), walk.matcher.matches(excerpt) else {
                return true
            }
            if walk.scan.firstCount == nil {
                return walk.keep(try document(key, from: row, at: 1))
            }
            // In order, hardly more are offered than wanted: to find them again would cost more.
            return walk.offer(walk.scan.isOrdered ? try document(key, from: row, at: 1) : excerpt)
        }
    }

    private func walkOverlays(
        _ range: IndexRange, _ collection: Int64, of queue: Int64, _ walk: inout IndexWalk
    ) throws(StoreError) {
        let statement =
            walk.scan.isReversed
            ? try connection.statement(
                """
                SELECT o.largest_batch, o.mutation, m.promised_at, o.created_at
                FROM overlay_entries e CROSS JOIN document_overlays o ON o.id = e.overlay
                LEFT JOIN mutations m ON m.id = o.queue << 44 | o.largest_batch
                WHERE e.index_id = ? AND e.queue = ? AND e.collection = ? AND e.value >= ?
                    AND e.value < ?
                ORDER BY e.value DESC
                """)
            : try connection.statement(
                """
                SELECT o.largest_batch, o.mutation, m.promised_at, o.created_at
                FROM overlay_entries e CROSS JOIN document_overlays o ON o.id = e.overlay
                LEFT JOIN mutations m ON m.id = o.queue << 44 | o.largest_batch
                WHERE e.index_id = ? AND e.queue = ? AND e.collection = ? AND e.value >= ?
                    AND e.value < ?
                ORDER BY e.value
                """)
        statement.bind(
            walk.scan.index.id.rawValue, queue, collection, range.lower, range.upper ?? [0xFF])
        try statement.whileNext { row throws(StoreError) in
            guard walk.begin() else { return false }
            let overlay = try overlay(from: row, at: 0)
            var document = try remoteDocument(overlay.key)
            overlay.apply(to: &document)
            if walk.isBehindLast(document.fields) { return false }
            guard walk.scan.query.matches(document) else { return true }
            return walk.offer(document)
        }
    }

    private func hasOverlay(_ queue: Int64, _ collection: Int64, _ name: [UInt8])
        throws(StoreError) -> Bool
    {
        let statement = try connection.statement(
            """
            SELECT 1 FROM written_documents
            WHERE queue = ? AND collection = ? AND name = ? AND effect IS NOT NULL
            """)
        return try statement.bind(queue, collection, name).first { _ in true } ?? false
    }
}

extension ScanResult {
    /// The result of a walk that ended at its bounds.
    fileprivate static func cut(after scannedCount: Int) -> ScanResult {
        ScanResult(documents: [:], scannedCount: scannedCount, isWhole: false)
    }
}

/// One walk through one range of an index.
private struct IndexWalk {
    let scan: IndexScan
    let matcher: ScanMatcher
    /// The results, if all are wanted.
    private(set) var documents: [DocumentKey: Document] = [:]
    /// The best so far, if only the first are wanted.
    private(set) var leading: LeadingDocuments
    private(set) var scannedCount = 0
    /// Whether the walk has come to its bounds.
    private(set) var isCut = false
    /// Entries that were looked at before the walk.
    private let earlierCount: Int
    private var byteCount = 0
    private var matchCount = 0
    /// Where the last wanted match stands in what the entries follow of the order.
    private var lastPlace: [Value?]?

    init(_ scan: IndexScan, _ codec: FirestoreCodec, after earlierCount: Int) {
        self.scan = scan
        self.earlierCount = earlierCount
        matcher = ScanMatcher(scan.query, codec)
        leading = LeadingDocuments(
            of: DocumentScan(query: scan.query, firstCount: scan.firstCount))
    }

    /// Begins with the next entry, unless the bounds end the walk.
    mutating func begin() -> Bool {
        isCut = !scan.bounds.admitsMore(after: earlierCount + scannedCount)
        if !isCut { scannedCount += 1 }
        return !isCut
    }

    /// Keeps a match, if all are wanted.
    ///
    /// - Returns: Whether the walk may hold more.
    mutating func keep(_ document: Document) -> Bool {
        documents[document.key] = document
        return holds(document)
    }

    /// Whether the bounds let the walk hold one more document.
    private mutating func holds(_ document: Document) -> Bool {
        if scan.bounds.byteCountMax == nil { return true }
        byteCount += document.fields.byteCountBound
        isCut = !scan.bounds.admits(byteCount: byteCount)
        return !isCut
    }

    /// Takes a match, which is the next in as much of the order as the entries follow.
    ///
    /// - Returns: Whether a later entry can still be among the first.
    mutating func offer(_ document: Document) -> Bool {
        // Full, the walk holds one instead of another.
        let isFull = leading.worst != nil
        leading.insert(document)
        guard isFull || holds(document) else { return false }
        matchCount += 1
        guard let wanted = scan.firstCount, matchCount >= wanted else { return true }
        if scan.isExact { return false }
        if lastPlace == nil, !scan.orderedFields.isEmpty {
            lastPlace = scan.orderedFields.map { document[$0] }
        }
        return true
    }

    /// Whether a document with these fields, and all entries after it, come too late.
    func isBehindLast(_ fields: MapValue) -> Bool {
        guard let lastPlace else { return false }
        for (field, last) in zip(scan.orderedFields, lastPlace) {
            guard let value = fields[field], let last else { return false }
            if value.compare(to: last) != 0 { return true }
        }
        return false
    }
}
