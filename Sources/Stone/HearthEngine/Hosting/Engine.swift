package import HearthModel

/// A client engine: a value that takes inputs singly, each inside a transaction, and decides.
///
/// A host owns the value. The host keeps the value from before a group of inputs and returns to the
/// kept value if the group does not become durable, so a copy must be cheap.
package protocol Engine: Sendable {
    /// What enters the engine: one turn each.
    associatedtype Input: EngineInput
    /// What an engine may ask of its store during a turn.
    associatedtype Transaction
    /// An answer for a memory of answers: the answer holds until the data in the answer changes.
    associatedtype Reading: Sendable

    /// Takes an input inside a transaction, and returns the effects to carry out after the commit.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - now: The time of the turn.
    ///   - store: The open transaction, which the caller commits.
    /// - Throws: Only the store's errors. After an error the value is void.
    mutating func take(
        _ input: Input, at now: Timestamp, in store: Transaction
    ) throws(StoreError) -> [Input.Effect]

    /// Tells how long the machine has been up, asleep or not, before an input is taken.
    ///
    /// - Parameter uptime: Counted from any beginning, which stays the same.
    mutating func note(uptime: Duration)

    /// Takes the failure of an input whose transaction was undone.
    ///
    /// - Parameters:
    ///   - input: The input, which this value has not taken.
    ///   - error: Why the store undid the transaction.
    ///   - now: The time of the failed turn.
    mutating func turnFailed(
        _ input: Input, _ error: StoreError, at now: Timestamp
    ) -> [Input.Effect]

    /// The answer in what the turn of an input decided, if the answer may be remembered.
    static func reading(in decided: [Input.Effect], of input: Input) -> Reading?
}

extension Engine {
    /// Most engines need no such time.
    package mutating func note(uptime: Duration) {}
}
