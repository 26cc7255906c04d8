/// How inputs get into an engine, from any thread.
package protocol EngineInlet<Input>: AnyObject, Sendable {
    /// What the engine takes.
    associatedtype Input

    /// Puts inputs at the end of their source's line. Never blocks.
    func submit(_ inputs: [Input], from source: MailboxSource) -> Submission
}

/// What became of inputs on their way to the mailbox.
package enum Submission: Hashable, Sendable {
    /// They wait for their turn. If there is no room for more, `EngineOutlet.resume` tells when.
    case taken(hasRoom: Bool)
    /// The engine is shutting down.
    case refused
}
