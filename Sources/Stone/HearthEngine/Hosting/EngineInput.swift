package import HearthModel

/// What enters an engine, as far as the engine's host must know.
///
/// An input is a step of the engine's life, a timer, something from the backend, what came of an
/// errand, or a request.
package protocol EngineInput: Sendable {
    /// What the engine's turns decide.
    associatedtype Effect: EngineEffect
    /// What the backend tells.
    associatedtype Event: Sendable

    /// A step of the engine's life.
    static func lifecycle(_ step: LifecycleStep) -> Self
    /// A timer that was scheduled has run out.
    static func timerFired(_ timer: Effect.Timer) -> Self
    /// Something came from the backend.
    static func upstream(_ event: Event) -> Self

    /// What the input is to a host.
    var role: InputRole<Effect.Timer> { get }
    /// Whether the input makes the store grow for good, or lets the backend do so.
    var needsRoom: Bool { get }
    /// What the input asks for, if the turn may be left out once that is given up; otherwise `nil`.
    var revocable: Revocable? { get }
    /// What the input gives up; `nil` for nothing. Only the source of a request gives the request up.
    var revocation: Revocation? { get }
    /// The effects that refuse the input to the waiting callers, if no engine can take the input.
    func refusal(_ error: HearthError) -> [Effect]
}

/// An engine whose inputs all have their turns.
extension EngineInput {
    package var revocable: Revocable? { nil }
    package var revocation: Revocation? { nil }
}

/// What an input is to a host.
package enum InputRole<Timer: EngineTimer> {
    /// A step of the engine's life.
    case lifecycle(LifecycleStep)
    /// A timer that was scheduled has run out.
    case timerFired(Timer)
    /// Something came from the backend.
    ///
    /// `settlesWrites` means that the input reports the outcome of writes: if the input were lost,
    /// the engine would send these writes again.
    case upstream(settlesWrites: Bool)
    /// What came of an errand that the engine ordered.
    ///
    /// The input is for that engine alone: an engine that starts anew has ordered nothing.
    case errandDone
    /// The daemon tells what is to be until it tells otherwise.
    ///
    /// The host repeats the last such input to an engine that starts anew.
    case standing
    /// A session, or an administrator, asks for something.
    case request
}

/// A step of an engine's life, which every engine takes.
package enum LifecycleStep: Hashable, Sendable {
    /// The first input: the engine recovers what it needs from the store.
    case start
    /// An administrator lets the engine connect, or no longer.
    case setNetwork(isEnabled: Bool)
    /// The machine has a network again, or another one.
    case networkReturned
    /// Another Firebase user signs in, or nobody.
    case changeUser(UserID)
    /// From now on so much may wait for the backend.
    case setQueueLimits(QueueLimits)
    /// A session is gone.
    case disconnected(session: UInt64)
    /// All work ends.
    case shutdown
}
