import HearthEngine
package import HearthModel
import Synchronization

/// The settings that a reload of the configuration changes at once, for open and new sessions.
package final class LiveSettings: Sendable {
    /// The settings.
    package struct Values: Sendable {
        /// Who may do what.
        package var access: AccessPolicy
        /// Where the daemon marks batches that it sends; `nil` for nowhere. Programs have no right there.
        package var marks: ResourcePath?
        /// The limits of clients, and of the memory that the daemon holds for clients.
        package var limits: SessionLimits
        /// The places of the default instance that are kept in step without a listener.
        package var keep: [RealtimePath]
        /// What is pinned, and how much users may pin.
        package var pins: PinConfiguration
        /// How the gateway answers.
        package var gateway: GatewayConfiguration
        /// Whether a program may be kept from the backend by its budget.
        package var stopsAtBudget: Bool

        /// The settings of a configuration.
        ///
        /// - Parameters:
        ///   - access: Who may do what, if the configuration has no rules.
        ///   - placed: The gateway of the start, whose sockets a reload leaves as they are.
        init(
            _ configuration: ServerConfiguration, access: AccessPolicy,
            placed: GatewayConfiguration? = nil
        ) {
            self.access = configuration.access ?? access
            marks = configuration.queueLimits.lostAnswers.markers
            limits = configuration.limits
            keep = configuration.realtime.keep
            stopsAtBudget = configuration.ledgerTerms.stopsAtBudget
            pins = configuration.pins
            gateway = configuration.gateway.placed(as: placed ?? configuration.gateway)
        }
    }

    private let state: Mutex<Values>

    /// Begins with these.
    init(_ values: Values) {
        state = Mutex(values)
    }

    /// The settings now.
    package var values: Values { state.withLock { $0 } }

    /// Changes some.
    func change(_ body: (inout Values) -> Void) -> Values {
        state.withLock { values in
            body(&values)
            return values
        }
    }
}
