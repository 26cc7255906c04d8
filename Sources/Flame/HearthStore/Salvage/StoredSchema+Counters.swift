import HearthModel
import HearthSQLite

/// Where a store with queues has its counters.
extension StoredSchema {
    /// The page of the row of counters.
    var countersPage: Int? { roots["store"] }

    /// The row of counters; `nil` if it cannot be read.
    func counters(_ page: (Int) -> [UInt8]?, _ content: some SalvagedContent)
        -> SalvagedCounters?
    {
        guard let countersPage, let bytes = page(countersPage),
            let tree = TreePage(bytes, number: countersPage), tree.kind == .table,
            let cell = tree.cells.first, cell.overflow == nil,
            let record = StoredRecord(Array(bytes[cell.local]), row: cell.row)
        else { return nil }
        return content.counters(record)
    }

    /// Why a file is no store of this program, of whatever version; `nil` if the file may be one, or
    /// is blank.
    ///
    /// All stores have had the same two tables since their first version, and get tables and version
    /// in one transaction. A later program's store may lack one of the tables, and is not judged here.
    func foreignness(to content: some SalvagedContent) -> String? {
        guard hasSoundHead else { return nil }  // SQLite refuses the file as damaged.
        if version == 0, isEmpty, programMark == 0 { return nil }
        let ownCount = Self.ownTables.filter { roots[$0] != nil }.count
        if version == 0, ownCount > 0 { return "it has tables of a store, and no schema version" }
        let isLater = version > type(of: content).steps.count
        if version > 0, ownCount >= (isLater ? 1 : Self.ownTables.count) { return nil }
        return ownCount > 0
            ? "it lacks tables that every store has"
            : "it is another program's file, without any table of this store"
    }

    /// The tables that stores of all kinds and versions have.
    private static let ownTables = ["store", "mutation_queues"]
}
