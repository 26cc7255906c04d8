import HearthEngine
import HearthModel
import HearthSQLite

/// Looks at a database file from outside before anybody works with it.
///
/// The file may be anything: SQLite runs what a schema tells it to run. So the inspection takes only
/// the tables and indexes, with their columns, that this program itself makes.
struct StoreInspection<Content: StoreContent> {
    private let path: String

    init(_ configuration: GroupStoreConfiguration<Content>) { path = configuration.path }

    /// - Throws: `StoreError.damaged` if the file is no whole store of this content; `foreign` if a
    ///   later program made the file.
    /// - Complexity: O(size of the file).
    func run() throws(StoreError) {
        let connection = try Connection(path: path, isReadOnly: true)
        try connection.execute("PRAGMA cell_size_check = 1")
        let version = Int(try connection.number("PRAGMA user_version") ?? 0)
        guard version <= Content.steps.count else {
            throw .foreign(
                "schema \(version) is of a later program than this of \(Content.steps.count)")
        }
        guard version > 0 else { throw .damaged("it has no schema") }
        guard try objects(on: connection) == expected(at: version) else {
            throw .damaged("its tables are not those of a store of schema \(version)")
        }
        let problem = try connection.statement("PRAGMA quick_check(1)").first { $0.text(0) ?? "" }
        guard problem == "ok" else { throw .damaged(problem ?? "it cannot be checked") }
    }

    /// The objects of a store that this program makes.
    private func expected(at version: Int) throws(StoreError) -> Set<[UTF8Text]> {
        let blank = try Connection(path: ":memory:", isReadOnly: false)
        for step in Content.steps.prefix(version) { try step.run(on: blank) }
        return try objects(on: blank)
    }

    /// All objects of the schema: tables with their kind and columns, indexes with their columns
    /// and whether the index is unique or partial. Only the tables of SQLite's own statistics are
    /// left out.
    private func objects(on connection: Connection) throws(StoreError) -> Set<[UTF8Text]> {
        let statement = try connection.statement(
            """
            SELECT s.type, s.name, s.tbl_name,
                coalesce((SELECT group_concat(
                    c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk || ' ' || c.hidden
                        || ' ' || coalesce(c.dflt_value, ''), ', ')
                    FROM pragma_table_xinfo(s.name) c), ''),
                coalesce((SELECT t.type || ' ' || t.wr || ' ' || t.strict
                    FROM pragma_table_list(s.name) t WHERE t.schema = 'main'), ''),
                coalesce((SELECT group_concat(
                    i.cid || ' ' || i."desc" || ' ' || coalesce(i.coll, '') || ' ' || i."key", ', ')
                    FROM pragma_index_xinfo(s.name) i), ''),
                coalesce((SELECT l."unique" || ' ' || l.origin || ' ' || l.partial
                    FROM pragma_index_list(s.tbl_name) l WHERE l.name = s.name), '')
            FROM sqlite_schema s
            WHERE NOT (s.type = 'table' AND s.name IN ('sqlite_stat1', 'sqlite_stat4'))
            """)
        return Set(
            try statement.map { row in (0..<7).map { UTF8Text(row.text(Int32($0)) ?? "") } })
    }
}
