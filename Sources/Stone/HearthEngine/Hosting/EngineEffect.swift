/// What an engine decided must be done after a commit, as far as its host must know.
package protocol EngineEffect: Sendable {
    /// The engine's timers.
    associatedtype Timer: EngineTimer
    /// What the connection to the backend is asked.
    associatedtype Command: EngineCommand
    /// What the engine has done beside its turns; `Never` for an engine that does all in its turns.
    associatedtype Errand: Sendable

    /// What the host must do.
    var role: EffectRole<Timer, Command, Errand> { get }
    /// The timer that the effect sets, moves or stops.
    var movedTimer: Timer? { get }
}

/// What a host must do with an effect.
package enum EffectRole<Timer: EngineTimer, Command: EngineCommand, Errand> {
    /// Hand the effect to those who are told.
    case tell(ReplyKind)
    /// Hand a command to the connection to the backend.
    case upstream(Command)
    /// Hand an errand to whoever works beside the turns. What comes of it is an input.
    case errand(Errand)
    /// Run a timer; if it runs already, move it.
    case schedule(Timer, after: Duration)
    /// Stop a timer.
    case cancel(Timer)
    /// Take news for the status, and hand the effect on.
    case note(EngineNews)
}

/// The kinds of answers that a host counts.
package enum ReplyKind: Hashable, Sendable {
    /// A write is durable here.
    case accepted
    /// A request is refused.
    case refused
    /// So many listeners are told of a change.
    case snapshots(count: Int)
    /// Nothing that is counted.
    case other
}

/// A timer of an engine. Its name is its identity: scheduling one again moves it.
package protocol EngineTimer: Hashable, Sendable, CaseIterable {
    /// Whether the backend is tried again when the timer runs out.
    var isReconnection: Bool { get }
    /// Whether the timer's work can wait until nobody else waits.
    var isBackground: Bool { get }
}

/// What an engine asks of the connection to its backend.
package protocol EngineCommand: Sendable {
    /// What the command means for the batches that are on the way to the backend.
    var sending: SendingStep? { get }
}

/// What happens to the batches on the way to the backend.
package enum SendingStep: Hashable, Sendable {
    /// One more batch is sent. The backend answers batches in the order of sending.
    case batch
    /// The batches that are on the way will not be answered on this connection.
    case anew
}
