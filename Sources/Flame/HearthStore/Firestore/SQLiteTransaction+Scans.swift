package import HearthEngine
package import HearthFirestore
import HearthModel
import HearthSQLite

/// Scans of `remote_documents`: look at few bytes of many rows, and decode what matches.
extension SQLiteTransaction {
    package func remoteDocuments(_ scan: DocumentScan) throws(StoreError) -> ScanResult {
        var found = ScanFindings(scan, codec)
        if scan.query.collectionGroup == nil, let key = DocumentKey(scan.query.path) {
            try look(at: key, scan, &found)
        } else if let group = scan.query.collectionGroup {
            try scanGroup(group, scan, &found)
        } else if let id = try collectionID(scan.query.path) {
            let path = scan.query.path
            let names = scan.query.names(in: path)
            if found.isKeyOrdered || names != nil {
                try scanByName(id, path, names ?? NameRange(), scan, &found)
            } else {
                try scanByRead(id, path, scan, &found)
            }
        }
        for excerpt in found.leading.documents where !found.isCut {
            found.keep(try remoteDocument(excerpt.key), scan.bounds)
            scan.bounds.letGo(excerpt)
        }
        if found.isCut {
            return ScanResult(documents: [:], scannedCount: found.scannedCount, isWhole: false)
        }
        var documents = found.documents
        for key in scan.including where documents[key] == nil {
            let document = try remoteDocument(key)
            guard document.isValid else { continue }
            guard scan.bounds.hold(document) else {
                return ScanResult(
                    documents: [:], scannedCount: found.scannedCount, isWhole: false)
            }
            documents[key] = document
        }
        return ScanResult(
            documents: documents, scannedCount: found.scannedCount, tally: found.tally)
    }

    /// Scans a collection group. Each collection counts as a document, because each is looked up.
    private func scanGroup(
        _ group: String, _ scan: DocumentScan, _ found: inout ScanFindings
    ) throws(StoreError) {
        try whileNextCollection(inGroup: group, below: scan.query.path) { row throws(StoreError) in
            guard scan.bounds.admitsMore(after: found.stepCount) else {
                found.isCut = true
                return false
            }
            try scanByRead(row.id, row.path, scan, &found)
            found.collectionCount += 1
            return !found.isCut
        }
    }

    private func look(at key: DocumentKey, _ scan: DocumentScan, _ found: inout ScanFindings)
        throws(StoreError)
    {
        let document = try remoteDocument(key)
        guard document.isValid else { return }
        found.scannedCount += 1
        if document.readAt > scan.readAfter, scan.query.matches(document) {
            found.documents[key] = document
        }
    }

    /// Scans in the order of reading.
    ///
    /// This order is near the order of row ids, so the scan visits pages once.
    private func scanByRead(
        _ id: Int64, _ path: ResourcePath, _ scan: DocumentScan, _ found: inout ScanFindings
    ) throws(StoreError) {
        let statement = try connection.statement(
            """
            SELECT name, kind, has_committed, read_at, version, content
            FROM remote_documents INDEXED BY remote_documents_by_read
            WHERE collection = ? AND read_at > ?
            """)
        statement.bind(id, TimeBytes.bytes(of: scan.readAfter))
        try statement.whileNext { row throws(StoreError) in
            try offer(row, in: path, scan, to: &found)
            return !found.isCut
        }
    }

    /// Scans in the order of names, so that a limit ends the scan.
    ///
    /// Only names that the query admits are scanned.
    private func scanByName(
        _ id: Int64, _ path: ResourcePath, _ names: NameRange, _ scan: DocumentScan,
        _ found: inout ScanFindings
    ) throws(StoreError) {
        let statement =
            found.isDescending
            ? try connection.statement(
                """
                SELECT name, kind, has_committed, read_at, version, content
                FROM remote_documents INDEXED BY remote_documents_by_name
                WHERE collection = ? AND name >= ? AND name <= ? AND read_at > ?
                ORDER BY name DESC
                """)
            : try connection.statement(
                """
                SELECT name, kind, has_committed, read_at, version, content
                FROM remote_documents INDEXED BY remote_documents_by_name
                WHERE collection = ? AND name >= ? AND name <= ? AND read_at > ? ORDER BY name
                """)
        statement.bind(id, names.first, names.last, TimeBytes.bytes(of: scan.readAfter))
        try statement.whileNext { row throws(StoreError) in
            try offer(row, in: path, scan, to: &found)
            return !found.isCut && (!found.isKeyOrdered || found.leading.worst == nil)
        }
    }

    private func offer(
        _ row: borrowing Row, in collection: ResourcePath, _ scan: DocumentScan,
        to found: inout ScanFindings
    ) throws(StoreError) {
        guard scan.bounds.admitsMore(after: found.stepCount) else {
            found.isCut = true
            return
        }
        found.scannedCount += 1
        guard row.int(1) == DocumentKind.found.rawValue else { return }
        let fields = try row.withBytes(5) { content throws(StoreError) -> MapValue? in
            guard found.matcher.mayMatch(content) else { return nil }
            return try reader.fields(found.matcher.selection, of: content)
        }
        guard let fields, found.matcher.mayMatch(fields) else { return }
        let key = try row.withBytes(0) { name throws(StoreError) in
            try PathKey.key(in: collection, named: name)
        }
        let excerpt = Document.found(key, at: .zero, fields)
        guard found.matcher.matches(excerpt) else { return }
        if found.tally != nil {
            if !scan.including.contains(key) { found.tally?.add(excerpt) }
        } else if found.isLimited {
            found.offer(excerpt, scan.bounds)
        } else {
            found.keep(try document(key, from: row, at: 1), scan.bounds)
        }
    }
}

/// A stretch of a collection's names, both ends included.
private struct NameRange {
    /// Before every name, unless told otherwise.
    var first: [UInt8] = []
    /// Behind every name, unless told otherwise.
    var last: [UInt8] = [0xFF]

    mutating func start(_ name: [UInt8]) {
        if compareBytes(first, name) < 0 { first = name }
    }

    mutating func end(_ name: [UInt8]) {
        if compareBytes(name, last) < 0 { last = name }
    }
}

extension Query {
    /// The names that filters on the key and cursors by the key leave; `nil` if they leave all.
    fileprivate func names(in collection: ResourcePath) -> NameRange? {
        var range = NameRange()
        var isBounded = false
        func bytes(_ value: Value) -> [UInt8]? {
            guard case .reference(let reference) = value, let key = reference.key,
                key.collection == collection
            else { return nil }
            return PathKey.name(of: key)
        }
        for case .field(let filter) in filters where filter.field.isDocumentID {
            guard let name = bytes(filter.value) else { continue }
            switch filter.op {
            case .greaterThan, .greaterThanOrEqual: range.start(name)
            case .lessThan, .lessThanOrEqual: range.end(name)
            case .equal, .notEqual, .isIn, .isNotIn, .arrayContains, .arrayContainsAny: continue
            }
            isBounded = true
        }
        if let order = orderBys.first, order.field.isDocumentID {
            let isAscending = order.direction == .ascending
            for (bound, isStart) in [(startAt, true), (endAt, false)] {
                guard let name = bound?.position.first.flatMap(bytes) else { continue }
                if isStart == isAscending { range.start(name) } else { range.end(name) }
                isBounded = true
            }
        }
        return isBounded ? range : nil
    }
}
