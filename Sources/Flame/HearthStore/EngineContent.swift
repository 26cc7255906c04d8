package import HearthEngine
package import HearthSQLite

/// The content of a store that an engine works with.
package protocol EngineContent: StoreContent {
    /// What the engine sees of a transaction.
    associatedtype EngineTransaction
    /// What a group may have changed, for a memory of answers.
    associatedtype Changes

    /// What the engine sees of a transaction.
    static func face(of transaction: Transaction) -> EngineTransaction
    /// What the present group, or else the last one, may have changed.
    static func changes(of transaction: Transaction) -> Changes
}

extension GroupStore: EngineStore where Content: EngineContent {
    package func turn<Result>(
        _ body: (Content.EngineTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try run { transaction throws(StoreError) in try body(Content.face(of: transaction)) }
    }

    package var changes: Content.Changes { Content.changes(of: open) }
}
