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
}
