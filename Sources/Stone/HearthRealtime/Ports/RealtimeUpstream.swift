package import HearthEngine
package import HearthModel

/// What the engine asks of the connection to the Realtime Database.
package enum RealtimeCommand: Hashable, Sendable {
    /// Connects on behalf of a user. Answered by `opened`, later by `closed`.
    case open(StreamNumber, as: UserID)
    /// Sends a request. Answered by `answered`, in the order of sending.
    case send(StreamNumber, RealtimeRequest)
    /// Closes the connection. No event of it may follow.
    case close(StreamNumber)
}

/// What the connection to the Realtime Database tells the engine.
package enum RealtimeUpstreamEvent: Hashable, Sendable {
    /// The service has said hello and accepted the user.
    ///
    /// `serverTimeOffset` is the service's clock less ours, in milliseconds.
    case opened(StreamNumber, serverTimeOffset: Int64)
    /// A request is answered.
    case answered(StreamNumber, RealtimeAnswer)
    /// The service told something unasked.
    case pushed(StreamNumber, RealtimePush)
    /// The connection ended; without an error if the service closed it in good order.
    case closed(StreamNumber, HearthError?)
}

/// A connection to a Realtime Database, which translates and never decides.
package typealias RealtimeUpstream = EngineUpstream<RealtimeCommand>

/// The timers of a Realtime Database's engine. Scheduling one again moves it.
package enum RealtimeTimer: String, Hashable, Sendable, CaseIterable {
    /// The backend has been silent long enough to call us offline.
    case onlineState
    /// Nothing is wanted of the backend; close the connection.
    case idle
    /// Try the connection again.
    case backoff
    /// The connection has stood long enough to count as healthy.
    case health
    /// Reads that wait for a connection or an answer are answered from the cache.
    case readGrace
    /// Read the rest of a node whose first children were told.
    case reading
    /// Listens that nobody has wanted for a while end.
    case unlistening
    /// See again whether an earlier connection has ended.
    case fence
    /// Try again what the store failed to do.
    case storeRetry
    /// Collect the least used of the cache.
    case garbageCollection
    /// Look whether what large listens know is to be hashed anew, or go on with that.
    case hashing
}

extension StreamMachine<RealtimeTimer>.Timers {
    /// The connection's. An unused connection stays open for long, since opening another costs more
    /// than holding one; it counts against the connections that a project's plan allows.
    package static let connection = Self(
        idle: .idle, backoff: .backoff, health: .health, idlePause: .seconds(600),
        healthPause: .seconds(30))
}

extension Backoff {
    /// The connection's: at once, then 1 s, growing by three tenths up to half a minute.
    ///
    /// - Source: firebase-android-sdk `connection/util/RetryHelper.java`.
    package static let connection = Backoff(factor: 1.3, longest: 30, chance: 0.3...1)
}
