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
        var walk = IndexWalk(scan, codec)
        for collection in collections {
            for range in scan.ranges {
                try walkDocuments(range, collection, without: overlaid, &walk)
                try walk.endRange { (first) throws(StoreError) in
                    scan.isOrdered ? first : try remoteDocument(first.key)
                }
                if let overlaid, !walk.isCut {
                    try walkOverlays(range, collection, of: overlaid, &walk)
                    try walk.endRange { $0 }
                }
                if walk.isCut { return walk.result }
            }
        }
        return walk.result
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

/// One walk through an index, range after range.
private struct IndexWalk {
    let scan: IndexScan
    let matcher: ScanMatcher
    /// The results, but for the first of the present range.
    private var documents: [DocumentKey: Document] = [:]
    /// The best of the present range so far, if only the first are wanted.
    private var leading: LeadingDocuments
    private var scannedCount = 0
    /// Whether the walk has come to its bounds.
    private(set) var isCut = false
    /// About how many bytes of documents the walk holds, if its bounds count bytes.
    private var byteCount = 0
    /// The part of `byteCount` that `leading` holds.
    private var leadingByteCount = 0
    private var matchCount = 0
    /// Where the last wanted match of the range stands in what the entries follow of the order.
    private var lastPlace: [Value?]?

    init(_ scan: IndexScan, _ codec: FirestoreCodec) {
        self.scan = scan
        matcher = ScanMatcher(scan.query, codec)
        leading = Self.leading(scan)
    }

    private static func leading(_ scan: IndexScan) -> LeadingDocuments {
        LeadingDocuments(of: DocumentScan(query: scan.query, firstCount: scan.firstCount))
    }

    /// What the walk has; nothing if the bounds have ended the walk.
    var result: ScanResult {
        ScanResult(
            documents: isCut ? [:] : documents, scannedCount: scannedCount, isWhole: !isCut)
    }

    /// Begins with the next entry, unless the bounds end the walk.
    mutating func begin() -> Bool {
        isCut = !scan.bounds.admitsMore(after: scannedCount)
        if !isCut { scannedCount += 1 }
        return !isCut
    }

    /// Keeps a match, if all are wanted.
    ///
    /// - Returns: Whether the walk may hold more.
    mutating func keep(_ document: Document) -> Bool {
        // A document may stand in several places of an index.
        documents.updateValue(document, forKey: document.key) != nil || holds(document)
    }

    /// Whether the bounds let the walk hold one more document.
    private mutating func holds(_ document: Document) -> Bool {
        isCut = !admits(document) || !scan.bounds.hold(document)
        return !isCut
    }

    /// Whether the bytes of one more document are within the bounds.
    private mutating func admits(_ document: Document) -> Bool {
        if scan.bounds.byteCountMax == nil { return true }
        byteCount += document.fields.byteCountBound
        return scan.bounds.admits(byteCount: byteCount)
    }

    /// Takes a match, which is the next in as much of the order as the entries follow.
    ///
    /// - Returns: Whether a later entry of the range can still be among the first.
    mutating func offer(_ document: Document) -> Bool {
        // Full, the walk holds one instead of another.
        let isFull = leading.worst != nil
        let hasRoom = leading.insert(document, within: scan.bounds)
        if !isFull {
            let earlierCount = byteCount
            isCut = !admits(document)
            leadingByteCount += byteCount - earlierCount
        }
        if !hasRoom { isCut = true }
        if isCut { return false }
        matchCount += 1
        guard let wanted = scan.firstCount, matchCount >= wanted else { return true }
        if scan.isExact { return false }
        if lastPlace == nil, !scan.orderedFields.isEmpty {
            lastPlace = scan.orderedFields.map { document[$0] }
        }
        return true
    }

    /// Ends a range, and keeps the first of its documents.
    ///
    /// - Parameter whole: Gives one of the offered documents with all its fields.
    mutating func endRange(
        whole: (Document) throws(StoreError) -> Document
    ) throws(StoreError) {
        let first = leading.documents
        (leading, matchCount, lastPlace) = (Self.leading(scan), 0, nil)
        byteCount -= leadingByteCount
        leadingByteCount = 0
        for document in first where !isCut {
            if keep(try whole(document)) { scan.bounds.letGo(document) }
        }
    }

    /// Whether a document with these fields, and all entries of the range after it, come too late.
    func isBehindLast(_ fields: MapValue) -> Bool {
        guard let lastPlace else { return false }
        for (field, last) in zip(scan.orderedFields, lastPlace) {
            guard let value = fields[field], let last else { return false }
            if value.compare(to: last) != 0 { return true }
        }
        return false
    }
}
