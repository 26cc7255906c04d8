package import HearthEngine

/// The control of an engine's life, for engines of all kinds. Callable from any thread.
package protocol EngineLifecycle: AnyObject, Sendable {
    /// Calls `body` when the store has been opened, or could not be.
    func whenOpened(_ body: @escaping @Sendable () -> Void)

    /// Returns when the engine's thread has run the pulse, which proves that no turn hangs.
    func pulse() async

    /// The present status of the engine, for operators.
    var status: EngineStatus { get }

    /// Puts a step of the engine's life in the mailbox; an engine that is closing needs none.
    func administer(_ step: LifecycleStep)

    /// Runs the waiting inputs, shuts the engine down and closes the store.
    ///
    /// Later inputs are refused.
    func close() async
}
