/// A store of one engine, as a host drives it: one writer, groups of turns.
///
/// A group is one transaction of the disk. Inside the group each turn is a savepoint, so a failed
/// turn undoes only its own changes. Only `commit` makes the group durable, with one sync for the
/// whole group.
package protocol EngineStore<Transaction>: AnyObject {
    /// What an engine may ask during a turn.
    associatedtype Transaction
    /// What a group may have changed, for a memory of answers.
    associatedtype Changes

    /// Opens a group. None may be open.
    func begin() throws(StoreError)

    /// Runs one turn inside the open group; if `body` throws, what it did is undone.
    ///
    /// After an error, ask `isGroupOpen`: some failures of the disk end the whole group.
    func turn<Result>(_ body: (Transaction) throws(StoreError) -> Result)
        throws(StoreError) -> Result

    /// Whether a group is open and what it did still stands.
    var isGroupOpen: Bool { get }

    /// Makes the group durable. If this throws, nothing of the group has happened.
    ///
    /// - Throws: `StoreError`; `unsettled` if a crash may bring the group back all the same. No group
    ///   begins before the store has settled that.
    func commit() throws(StoreError)

    /// Undoes the open group, if there is one.
    func rollback()

    /// What the present group, or else the last one, may have changed.
    var changes: Changes { get }

    /// Whether the last commit had anything to make durable.
    var hasWritten: Bool { get }
}

extension EngineStore {
    /// A store that does not tell reading from writing.
    package var hasWritten: Bool { true }
}

extension EngineStore {
    /// Runs one turn as a group of its own.
    ///
    /// - Throws: What `body` throws, or the error of the group's opening or commit.
    package func transaction<Result>(
        _ body: (Transaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try begin()
        do throws(StoreError) {
            let result = try turn(body)
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }
}
