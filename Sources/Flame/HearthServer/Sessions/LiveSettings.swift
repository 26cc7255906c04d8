import HearthModel
import Synchronization

/// The settings that a reload of the configuration changes at once, for open and new sessions.
final class LiveSettings: Sendable {
    /// The settings.
    struct Values: Sendable {
        /// Who may do what.
        var access: AccessPolicy
        /// The limits of clients, and of the memory that the daemon holds for clients.
        var limits: SessionLimits
        /// The places of the default instance that are kept in step without a listener.
        var keep: [RealtimePath]
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
