package import HearthEngine
package import HearthFirestore
import HearthModel
import HearthProtocol
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
        for document in found.leading.documents where !found.isCut {
            found.keep(try remoteDocument(document.key), scan.bounds)
        }
        if found.isCut {
            return ScanResult(documents: [:], scannedCount: found.scannedCount, isWhole: false)
        }
        var documents = found.documents
        for key in scan.including where documents[key] == nil {
            let document = try remoteDocument(key)
            if document.isValid { documents[key] = document }
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
            found.leading.insert(excerpt)
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

/// What a scan has found so far.
struct ScanFindings {
    let matcher: ScanMatcher
    /// Whether only the first few are wanted.
    let isLimited: Bool
    /// Whether the order of names alone says which are first.
    let isKeyOrdered: Bool
    /// Which end of the names comes first.
    let isDescending: Bool
    /// The results, if all are wanted.
    var documents: [DocumentKey: Document] = [:]
    /// Excerpts of the first few, if those are wanted.
    var leading: LeadingDocuments
    /// The results added up, if only that is wanted.
    var tally: AggregateComputation?
    var scannedCount = 0
    /// The collections of a group that were scanned whole.
    var collectionCount = 0
    /// What the bounds of the scan count.
    var stepCount: Int { scannedCount + collectionCount }
    /// Whether the scan has come to its bounds.
    var isCut = false
    private var byteCount = 0

    init(_ scan: DocumentScan, _ codec: FirestoreCodec) {
        let order = scan.query.order
        let isReversed = scan.query.limit?.end == .last
        matcher = ScanMatcher(scan.query, having: scan.having, codec)
        tally = scan.tally
        isLimited = scan.firstCount != nil
        isKeyOrdered = isLimited && order.orderBys.count == 1
        isDescending = (order.orderBys.first?.direction == .descending) != isReversed
        leading = LeadingDocuments(of: scan)
    }

    /// Keeps a result, unless the scan then holds too much.
    mutating func keep(_ document: Document, _ bounds: ScanBounds) {
        if bounds.byteCountMax != nil {
            byteCount += document.fields.byteCountBound
            guard bounds.admits(byteCount: byteCount) else {
                isCut = true
                return
            }
        }
        documents[document.key] = document
    }
}

/// A query made ready for matching many documents by a few of their fields.
struct ScanMatcher {
    /// The fields that the query asks about.
    let selection: FieldSelection
    private let probes: [FieldProbe]
    private let filters: [Filter]
    private let fieldFilters: [FieldFilter]
    private let orderBys: [OrderBy]
    /// Fields without which a document does not count.
    private let neededFields: [FieldPath]
    private let startAt: Bound?
    private let endAt: Bound?

    init(_ query: Query, having fields: [FieldPath] = [], _ codec: FirestoreCodec) {
        probes = query.filters.compactMap { Self.probe($0, codec) }
        filters = query.filters
        orderBys = query.orderBys
        neededFields = orderBys.map(\.field).filter { !$0.isDocumentID } + fields
        startAt = query.startAt
        endAt = query.endAt
        fieldFilters = query.filters.compactMap {
            if case .field(let filter) = $0, !filter.field.isDocumentID { filter } else { nil }
        }
        let asked = query.filters.flatMap(\.flattened).map(\.field).filter { !$0.isDocumentID }
        selection = FieldSelection(asked + neededFields)
    }

    /// What can be said of a found document's bytes before anything is read.
    func mayMatch(_ content: UnsafeRawBufferPointer) -> Bool {
        for probe in probes where !probe.mayMatch(content) { return false }
        return true
    }

    private static func probe(_ filter: Filter, _ codec: FirestoreCodec) -> FieldProbe? {
        guard case .field(let filter) = filter else { return nil }
        switch filter.op {
        case .equal:
            return FieldProbe(filter.field, in: [filter.value], isStrict: false, codec)
        case .isIn:
            return filter.value.arrayElements.flatMap {
                FieldProbe(filter.field, in: $0, isStrict: true, codec)
            }
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual,
            .arrayContains, .arrayContainsAny, .isNotIn:
            return nil
        }
    }

    /// What can be said without the key: every needed field is there, the plain filters hold.
    func mayMatch(_ fields: MapValue) -> Bool {
        for field in neededFields where fields[field] == nil { return false }
        for filter in fieldFilters {
            guard let value = fields[filter.field], filter.matches(value, .cache) else {
                return false
            }
        }
        return true
    }

    /// The rest, if `mayMatch` holds.
    func matches(_ excerpt: Document) -> Bool {
        filters.allSatisfy { $0.matches(excerpt, .cache) }
            && (startAt?.admitsAsStart(excerpt, orderBys: orderBys) ?? true)
            && (endAt?.admitsAsEnd(excerpt, orderBys: orderBys) ?? true)
    }
}
