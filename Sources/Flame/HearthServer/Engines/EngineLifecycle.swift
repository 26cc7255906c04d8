package import HearthEngine

/// What the daemon does with an engine, whatever the engine takes. From any thread.
package protocol EngineLifecycle: AnyObject, Sendable {
    /// Calls `body` when the store has been opened, or could not be.
    func whenOpened(_ body: @escaping @Sendable () -> Void)

    /// Returns when the engine's thread has come to it: proof that no turn hangs.
    func pulse() async

    /// What operators may know of the engine now.
    var status: EngineStatus { get }

    /// Puts a step of the engine's life in the mailbox; an engine that is closing needs none.
    func administer(_ step: LifecycleStep)

    /// Runs what waits, shuts the engine down and closes its store. What comes later is refused.
    func close() async
}
