import HearthEngine
import HearthSQLite

/// Copies of the functions that a store of documents calls for each row.
///
/// The compiler specialises only copies in this module.
extension Statement {
    /// Gives values to the statement's parameters, in order.
    @discardableResult
    func bind<each Parameter: Bindable>(_ values: repeat each Parameter) -> Statement {
        var index: Int32 = 1
        for value in repeat each values {
            note(value.bind(to: handle, at: index))
            index += 1
        }
        return self
    }

    /// Runs the statement up to its first row; `nil` if there is none.
    func first<Result>(_ body: (borrowing Row) throws(StoreError) -> Result) throws(StoreError)
        -> Result?
    {
        var result: Result?
        try whileNext { row throws(StoreError) in
            result = try body(row)
            return false
        }
        return result
    }

    /// Runs the statement and gathers the result of `body` for each row.
    func map<Result>(_ body: (borrowing Row) throws(StoreError) -> Result) throws(StoreError)
        -> [Result]
    {
        var results: [Result] = []
        try forEach { row throws(StoreError) in results.append(try body(row)) }
        return results
    }
}
