/// How inputs get into an engine, from any thread.
package protocol EngineInlet<Input>: AnyObject, Sendable {
    /// What the engine takes.
    associatedtype Input

    /// Puts inputs at the end of their source's line. Never blocks.
    func submit(_ inputs: [Input], from source: MailboxSource) -> Submission
}

/// The outcome of a submission of inputs.
package enum Submission: Hashable, Sendable {
    /// The inputs wait for their turns.
    ///
    /// If the mailbox has no room for more, `EngineOutlet.resume` tells when there is room again.
    case taken(hasRoom: Bool)
    /// The engine is shutting down.
    case refused
}
