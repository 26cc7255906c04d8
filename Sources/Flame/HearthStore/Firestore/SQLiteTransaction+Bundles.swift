package import HearthEngine
package import HearthFirestore
import HearthModel
import HearthProtocol
import HearthSQLite

/// The tables `bundles` and `named_queries`.
extension SQLiteTransaction {
    package func bundle(_ id: String) throws(StoreError) -> BundleRecord? {
        let statement = try connection.statement(
            "SELECT created_at, version FROM bundles WHERE id = ? AND documents IS NULL")
        return try statement.bind(id).first { row throws(StoreError) in
            BundleRecord(id: id, createdAt: try row.version(0), version: Int(row.int(1)))
        }
    }

    package func setBundle(_ bundle: BundleRecord) throws(StoreError) {
        try connection.statement(
            "INSERT OR REPLACE INTO bundles (id, created_at, version) VALUES (?, ?, ?)"
        )
        .bind(bundle.id, TimeBytes.bytes(of: bundle.createdAt), bundle.version).run()
    }

    package func begunBundles() throws(StoreError) -> [BegunBundle] {
        // A damaged row must not make the cache look for targets without end.
        func count(_ stored: Int64) -> Int { Int(max(0, min(stored, 1 << 20))) }
        let statement = try connection.statement(
            """
            SELECT id, created_at, version, documents, queries FROM bundles
                WHERE documents IS NOT NULL
            """)
        return try statement.map { row throws(StoreError) in
            BegunBundle(
                record: BundleRecord(
                    id: row.text(0) ?? "", createdAt: try row.version(1), version: Int(row.int(2))),
                documentCount: count(row.int(3)), queryCount: count(row.int(4)))
        }
    }

    package func setBegunBundle(_ bundle: BegunBundle) throws(StoreError) {
        try connection.statement("INSERT OR REPLACE INTO bundles VALUES (?, ?, ?, ?, ?)")
            .bind(
                bundle.record.id, TimeBytes.bytes(of: bundle.record.createdAt),
                bundle.record.version, bundle.documentCount, bundle.queryCount
            ).run()
    }

    package func removeBundle(_ id: String) throws(StoreError) {
        try connection.statement("DELETE FROM bundles WHERE id = ?").bind(id).run()
    }

    package func namedQuery(_ name: String) throws(StoreError) -> NamedQuery? {
        let statement = try connection.statement(
            "SELECT target, is_limited_to_last, read_at FROM named_queries WHERE name = ?")
        return try statement.bind(name).first { row throws(StoreError) in
            let target: Target
            do throws(CodecError) {
                target = try codec.target(fromBytes: row.bytes(0))
            } catch {
                throw .damaged(error.description)
            }
            return NamedQuery(
                name: name, query: .given(target, end: row.bool(1) ? .last : .first),
                readAt: try row.version(2))
        }
    }

    package func setNamedQuery(_ query: NamedQuery) throws(StoreError) {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try codec.targetBytes(query.query.asGiven)
        } catch {
            throw .io("the query \"\(query.name)\" cannot be stored: \(error)")
        }
        try connection.statement("INSERT OR REPLACE INTO named_queries VALUES (?, ?, ?, ?)")
            .bind(
                query.name, bytes, query.query.limit?.end == .last,
                TimeBytes.bytes(of: query.readAt)
            ).run()
    }
}

extension Query {
    /// The query's parts as the user gave them, neither completed nor flipped.
    fileprivate var asGiven: Target {
        Target(
            path: path, collectionGroup: group, filters: filters,
            orderBys: explicitOrderBys, limit: limit?.count, startAt: startAt, endAt: endAt)
    }

    /// The query of such parts.
    fileprivate static func given(_ target: Target, end: Limit.End) -> Query {
        var query =
            target.group.map { Query(collectionGroup: $0, below: target.path) }
            ?? Query(path: target.path)
        query.filters = target.filters
        query.explicitOrderBys = target.documentKey == nil ? target.orderBys : []
        query.limit = target.limit.map { Limit($0, end) }
        query.startAt = target.startAt
        query.endAt = target.endAt
        return query
    }
}
