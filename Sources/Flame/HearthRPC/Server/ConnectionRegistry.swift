import Synchronization

/// Holds the open connections, and ends all of them when the server stops.
package final class ConnectionRegistry: Sendable {
    private struct State {
        var stops: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isStopping = false
        var whenEmpty: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// No connections.
    package init() {}

    /// Adds a connection. If `stopAll` has been called already, the registry calls `stop` at once.
    ///
    /// - Parameter stop: Ends the connection well, and soon; called on any thread.
    package func add(_ connection: ObjectIdentifier, stop: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.stops[connection] = stop
            return state.isStopping
        }
        if isLate { stop() }
    }

    /// Removes a connection that is closed.
    package func remove(_ connection: ObjectIdentifier) {
        let whenEmpty = state.withLock { state -> (@Sendable () -> Void)? in
            state.stops[connection] = nil
            guard state.stops.isEmpty else { return nil }
            defer { state.whenEmpty = nil }
            return state.whenEmpty
        }
        whenEmpty?()
    }

    /// Ends all connections well.
    ///
    /// - Parameter done: Called once, when the last is closed.
    package func stopAll(done: @escaping @Sendable () -> Void) {
        let stops = state.withLock { state in
            state.isStopping = true
            if !state.stops.isEmpty { state.whenEmpty = done }
            return Array(state.stops.values)
        }
        if stops.isEmpty { done() }
        for stop in stops { stop() }
    }
}
