import HearthEngine
import HearthSQLite

/// Looks at the numbers of a store from outside.
///
/// The daemon counts on from what the store tells. A counter at the greatest number of all would end the
/// daemon at the next write, and again after every start.
struct StoreNumbers {
    private let connection: Connection

    /// Takes a store that has this program's tables.
    init(on connection: Connection) { self.connection = connection }

    /// - Throws: `StoreError.damaged` for a number that no store of a daemon has.
    /// - Complexity: O(size of the store).
    func check() throws(StoreError) {
        let columns = try connection.statement(
            """
            SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
            WHERE t.type = 'table' AND c.type = 'INTEGER' AND t.name NOT LIKE 'sqlite_%'
            """
        ).map { row in (table: row.text(0) ?? "", column: row.text(1) ?? "") }
        for (table, column) in columns {
            // SQLite would make the greatest number of all of a larger fraction or text.
            var isWrong = "typeof(\"\(column)\") NOT IN ('integer', 'null')"
            if let range = Self.range(of: column, in: table) {
                let bounds = "\(range.lowerBound) AND \(range.upperBound)"
                isWrong += " OR \"\(column)\" NOT BETWEEN \(bounds)"
            }
            let count = try connection.number("SELECT count(*) FROM \"\(table)\" WHERE \(isWrong)")
            guard count == 0 else {
                throw .damaged("\(column) of its table \(table) is a number that no daemon writes")
            }
        }
    }

    /// A number that no daemon reaches by counting.
    private static let countMax: Int64 = 1 << 53
    /// Bytes of one batch, far above what a batch may have.
    private static let byteCountMax: Int64 = 1 << 40
    /// A number of a batch or of a query of the backend's, behind which half of all numbers are left.
    static let batchMax = BatchRow.numberMax / 2
    private static let targetMax = Int64(Int32.max) / 2
    /// The queues whose numbers fit above the numbers of batches (`BatchRow`): another's rows would be the
    /// rows of all.
    private static let queueMax = Int64.max / (BatchRow.numberMax + 1)
    /// A number far enough below the largest number for sums; times in nanoseconds come near.
    private static let numberMax = Int64.max - (1 << 56)

    /// What a column may hold; `nil` for numbers by chance, and for times of any year.
    private static func range(of column: String, in table: String) -> ClosedRange<Int64>? {
        switch (table, column) {
        case (_, "client_high"), (_, "client_low"), ("write_records", "sequence"),
            ("forgotten_writes", "below"), ("store", "intake_salt"),
            ("sending_terms", "expires_at"):
            nil
        case ("store", "last_promised"): -numberMax...numberMax
        case ("store", "last_batch"), ("store", "last_write"), ("dead_letters", "batch"),
            ("told_letters", "batch"):
            0...batchMax
        case ("store", "highest_target"): 0...targetMax
        case ("mutation_queues", "id"): 0...(queueMax - 1)
        case ("store", _): 0...countMax
        case (_, "byte_count"): 0...byteCountMax
        default: -numberMax...numberMax
        }
    }
}
