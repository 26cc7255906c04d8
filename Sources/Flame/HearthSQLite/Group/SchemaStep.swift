package import HearthEngine

/// A step that brings a file from one schema version to the next.
package enum SchemaStep: Sendable {
    /// Statements.
    case sql(String)
    /// What statements cannot do, such as encoding rows anew.
    case swift(@Sendable (Connection) throws(StoreError) -> Void)

    /// Takes the step, inside the transaction of all steps.
    ///
    /// - Throws: `StoreError` if the step fails.
    package func run(on connection: Connection) throws(StoreError) {
        switch self {
        case .sql(let statements): try connection.execute(statements)
        case .swift(let body): try body(connection)
        }
    }
}
