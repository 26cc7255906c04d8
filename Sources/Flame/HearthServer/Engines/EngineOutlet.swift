package import HearthModel

/// Who hears what an engine decided, after it is durable. Called on the engine's executor.
package protocol EngineOutlet<Effect>: Sendable {
    /// What the engine decides.
    associatedtype Effect

    /// Carries out the effects of one group, in order. Timers and upstream commands are not among
    /// them.
    func perform(_ effects: [Effect])

    /// Tells stopped sessions that the mailbox has room again.
    func resume(_ sessions: [UInt64])

    /// Hears of the store.
    func tell(_ news: StoreNews)

    /// Hears that the engine's status, or the content of the engine's store, may have changed.
    func statusChanged()

    /// Ends every session of the database, because its engine starts anew and knows none of them.
    func endSessions(_ error: HearthError)
}
