import Synchronization

/// What a reload of the configuration changes at once, for sessions that are open and new ones.
final class LiveSettings: Sendable {
    /// The settings.
    struct Values: Sendable {
        /// Who may do what.
        var access: AccessPolicy
        /// What clients may do, and what they may make the daemon hold.
        var limits: SessionLimits
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
