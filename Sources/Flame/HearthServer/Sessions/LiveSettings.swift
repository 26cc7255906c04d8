import HearthWire
import Synchronization

/// What a reload of the configuration changes at once, for sessions that are open and new ones.
final class LiveSettings: Sendable {
    /// The settings.
    struct Values: Sendable {
        /// Who may do what.
        var access: AccessPolicy
        /// What one session may hold.
        var limits: Welcome.Limits
        /// How many clients may be connected.
        var clients: Admission.Limits
        /// Listeners of all sessions of one Unix user.
        var uidListenerCountMax: Int
        /// Requests without an answer of all sessions of one Unix user.
        var uidRequestCountMax: Int
        /// What clients may make the daemon hold.
        var memory: ClientMemory
        /// How much may wait to be written to one client.
        var outboxLimits: Outbox.Limits
        /// Seconds that a client may take to say Hello.
        var greetingSecondsMax: Int
        /// Seconds that a client may take to end a frame that it has begun.
        var frameSecondsMax: Int
    }

    private let state: Mutex<Values>

    /// Begins with these.
    init(_ values: Values) {
        state = Mutex(values)
    }

    /// The settings now.
    var values: Values { state.withLock { $0 } }

    /// Changes some.
    func change(_ body: (inout Values) -> Void) -> Values {
        state.withLock { values in
            body(&values)
            return values
        }
    }
}
