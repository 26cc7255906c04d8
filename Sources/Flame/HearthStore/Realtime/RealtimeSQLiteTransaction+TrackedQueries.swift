package import HearthEngine
package import HearthModel
import HearthProtocol
package import HearthRealtime
import HearthSQLite

/// The tables `tracked_queries` and `tracked_keys`.
extension RealtimeSQLiteTransaction {
    package func trackedQuery(of target: ListenTarget) throws(StoreError) -> TrackedQuery? {
        let statement = try connection.statement(
            """
            SELECT id, place, query, last_use, is_complete, is_active FROM tracked_queries
            WHERE place = ? AND query = ?
            """)
        return try statement.bind(
            PlaceBytes.bytes(of: target.path), QueryText.text(of: target.query)
        ).first { row throws(StoreError) in try Self.trackedQuery(from: row) }
    }

    package func trackedQueries(atOrBelow path: RealtimePath) throws(StoreError) -> [TrackedQuery] {
        let place = PlaceBytes.bytes(of: path)
        let statement = try connection.statement(
            """
            SELECT id, place, query, last_use, is_complete, is_active FROM tracked_queries
            WHERE place >= ? AND place < ? ORDER BY place, query
            """)
        return try statement.bind(place, PlaceBytes.end(of: place)).map {
            row throws(StoreError) in try Self.trackedQuery(from: row)
        }
    }

    package func trackedQueries(atOrAbove path: RealtimePath) throws(StoreError) -> [TrackedQuery] {
        let statement = try connection.statement(
            """
            SELECT id, place, query, last_use, is_complete, is_active FROM tracked_queries
            WHERE place = ? ORDER BY query
            """)
        var queries: [TrackedQuery] = []
        for place in ServerPlace(path).atOrAbove {
            try statement.bind(place).forEach { row throws(StoreError) in
                queries.append(try Self.trackedQuery(from: row))
            }
        }
        return queries
    }

    package func setTrackedQuery(_ query: TrackedQuery) throws(StoreError) {
        try loggedLater { () throws(StoreError) in
            try countInactive(query.id, isInactive: !query.isActive)
            let statement = try connection.statement(
                """
                INSERT INTO tracked_queries VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL)
                ON CONFLICT (id) DO UPDATE SET place = ?2, query = ?3, last_use = ?4,
                    is_complete = ?5, is_active = ?6
                """)
            try statement.bind(
                query.id.rawValue, PlaceBytes.bytes(of: query.target.path),
                QueryText.text(of: query.target.query), TimeBytes.bytes(of: query.lastUse),
                query.isComplete, query.isActive
            ).run()
        } as: {
            $0.trackedQuery(query)
        }
    }

    package func removeTrackedQuery(_ id: TrackedQueryID) throws(StoreError) {
        try loggedLater { () throws(StoreError) in
            try countInactive(id, isInactive: false)
            memory.hashed = nil  // Told anew when somebody asks.
            try connection.statement("DELETE FROM tracked_queries WHERE id = ?")
                .bind(id.rawValue).run()
            try deleteKeys(of: id)
        } as: {
            $0.trackedQueryRemoved(id)
        }
    }

    package func deactivateTrackedQueries() throws(StoreError) {
        try loggedLater { () throws(StoreError) in
            try connection.statement(
                "UPDATE tracked_queries SET is_active = 0 WHERE is_active <> 0"
            ).run()
            memory.inactiveQueryCount = nil
        } as: {
            $0.trackedQueriesDeactivated()
        }
    }

    package func inactiveQueryCount() throws(StoreError) -> Int {
        if let count = memory.inactiveQueryCount { return count }
        let statement = try connection.statement(
            "SELECT count(*) FROM tracked_queries WHERE is_active = 0")
        let count = try statement.first { Int($0.int(0)) } ?? 0
        memory.inactiveQueryCount = count
        return count
    }

    package func leastUsedQueries(count: Int) throws(StoreError) -> [TrackedQuery] {
        let statement = try connection.statement(
            """
            SELECT id, place, query, last_use, is_complete, is_active FROM tracked_queries
            WHERE is_active = 0 ORDER BY last_use, id LIMIT ?
            """)
        return try statement.bind(count).map { row throws(StoreError) in
            try Self.trackedQuery(from: row)
        }
    }

    /// How many queries are remembered.
    func trackedQueryCount() throws(StoreError) -> Int {
        try connection.statement("SELECT count(*) FROM tracked_queries").first { Int($0.int(0)) }
            ?? 0
    }

    /// Counts a query that comes, goes or changes, once somebody has asked for the count.
    private func countInactive(_ id: TrackedQueryID, isInactive: Bool) throws(StoreError) {
        guard let count = memory.inactiveQueryCount else { return }
        let statement = try connection.statement(
            "SELECT is_active FROM tracked_queries WHERE id = ?")
        let wasActive = try statement.bind(id.rawValue).first { $0.bool(0) }
        let wasInactive = wasActive == false
        memory.inactiveQueryCount = count + (isInactive ? 1 : 0) - (wasInactive ? 1 : 0)
    }

    private static func trackedQuery(from row: borrowing Row) throws(StoreError) -> TrackedQuery {
        let path = try row.withBytes(1) { bytes throws(StoreError) in
            try PlaceBytes.path(from: bytes)
        }
        let query = try QueryText.query(from: row.text(2) ?? "")
        return TrackedQuery(
            id: TrackedQueryID(row.int(0)), target: ListenTarget(path, query),
            lastUse: try row.time(3), isComplete: row.bool(4), isActive: row.bool(5))
    }

    // MARK: Keys

    package func keys(of query: TrackedQueryID) throws(StoreError) -> [ChildKey] {
        let statement = try connection.statement(
            "SELECT key FROM tracked_keys WHERE query = ? ORDER BY key")
        return try statement.bind(query.rawValue).map { row throws(StoreError) in
            try row.withBytes(0) { bytes throws(StoreError) in try PlaceBytes.key(from: bytes) }
        }
    }

    package func changeKeys(
        of query: TrackedQueryID, adding: some Collection<ChildKey>,
        removing: some Collection<ChildKey>
    ) throws(StoreError) {
        guard !adding.isEmpty || !removing.isEmpty else { return }
        try loggedLater { () throws(StoreError) in
            let deletion = try connection.statement(
                "DELETE FROM tracked_keys WHERE query = ? AND key = ?")
            for key in removing {
                try deletion.bind(query.rawValue, PlaceBytes.bytes(of: key)).run()
            }
            let insertion = try connection.statement(
                "INSERT OR IGNORE INTO tracked_keys VALUES (?, ?)")
            for key in adding {
                try insertion.bind(query.rawValue, PlaceBytes.bytes(of: key)).run()
            }
        } as: {
            $0.trackedKeys(of: query, added: adding, removed: removing)
        }
    }

    package func removeKeys(of query: TrackedQueryID) throws(StoreError) {
        try loggedLater { () throws(StoreError) in
            try deleteKeys(of: query)
        } as: {
            $0.trackedKeysRemoved(of: query)
        }
    }

    private func deleteKeys(of query: TrackedQueryID) throws(StoreError) {
        try connection.statement("DELETE FROM tracked_keys WHERE query = ?")
            .bind(query.rawValue).run()
    }
}

/// A query as a text, the same for equal queries.
enum QueryText {
    /// The text of a query; empty for the whole node.
    static func text(of query: QueryParameters) -> String {
        query.isDefault
            ? "" : String(decoding: JSONWriter.bytes(of: QueryObject.encode(query)), as: UTF8.self)
    }

    /// Reads the text of a query.
    ///
    /// - Throws: `StoreError.damaged` for a text that no query has.
    static func query(from text: String) throws(StoreError) -> QueryParameters {
        if text.isEmpty { return .all }
        do throws(JSONError) {
            if let query = QueryObject.decode(try JSONReader.read(Array(text.utf8))) {
                return query
            }
        } catch {
            throw .damaged("a tracked query (\(error.reason))")
        }
        throw .damaged("a tracked query")
    }
}
