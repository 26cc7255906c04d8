import HearthModel
import HearthWire

/// What the daemon is to do when the program is gone, as far as the daemon has said that it will.
///
/// The daemon keeps the orders with the session. The library gives the orders to every new session
/// again, so a restart of the daemon loses none. What the backend has carried out because the
/// machine's link ended is forgotten when the link is back: before, the end may have been the
/// daemon's own.
struct StandingOrders: Sendable {
    private enum Standing: Hashable {
        /// The session has not been given the order, or could not take it.
        case untold
        /// This session was given the order again, under this number, and has not answered.
        case given(UInt64)
        /// The daemon has the order.
        case held
        /// The link has ended, and the backend has carried out the order.
        case carriedOut
    }

    private struct Order: Sendable {
        var change: RealtimeChange
        let scope: OnDisconnectScope
        var standing = Standing.held

        var request: InstanceRequest { .onDisconnect(.write(change), scope) }
    }

    private var orders: [Order] = []

    /// No orders.
    init() {}

    /// Whether there is nothing to do.
    var isEmpty: Bool { orders.isEmpty }

    /// The requests that give the orders again, in the original order.
    var requests: [InstanceRequest] { orders.map(\.request) }

    /// A new session has begun, which has no orders.
    mutating func sessionBegan() {
        for place in orders.indices { orders[place].standing = .untold }
    }

    /// Takes the requests for the orders that a session lacks, in the original order. They go under
    /// the numbers from `first` on.
    mutating func takeRequests(from first: UInt64) -> [InstanceRequest] {
        let untold = orders.indices.filter { orders[$0].standing == .untold }
        for (count, place) in untold.enumerated() {
            orders[place].standing = .given(first + UInt64(count))
        }
        return untold.map { orders[$0].request }
    }

    /// The daemon answered an order that was given again.
    ///
    /// - Parameter error: Why the daemon does not have it; `nil` if it does. An order that it may
    ///   take later stands.
    mutating func answered(_ number: UInt64, _ error: HearthError?) {
        guard let place = orders.firstIndex(where: { $0.standing == .given(number) }) else {
            return
        }
        switch error {
        case nil: orders[place].standing = .held
        case let error? where error.code.isPermanent: orders.remove(at: place)
        case _?: orders[place].standing = .untold
        }
    }

    /// The machine's link has ended: the backend has carried out its orders for the link's end.
    mutating func linkEnded() {
        for place in orders.indices
        where orders[place].scope != .program && orders[place].standing == .held {
            orders[place].standing = .carriedOut
        }
    }

    /// The machine's link is there again, under the same daemon.
    mutating func linkOpened() {
        orders.removeAll { $0.standing == .carriedOut }
    }

    /// The daemon has an order. O(n) for n orders that stand.
    ///
    /// As in the daemon, a write takes the place of earlier orders of its scope, and a cancel takes
    /// back the orders of every scope.
    mutating func note(_ order: OnDisconnectOrder, _ scope: OnDisconnectScope) {
        switch order {
        case .write(let change):
            forget([scope]) { part in change.parts.contains { $0.place.covers(part.place) } }
            orders.append(Order(change: change, scope: scope))
        case .cancel(let path):
            forget(Set(OnDisconnectScope.allCases)) { path.contains($0.place.path) }
        }
    }

    /// Forgets the places that another order has taken over.
    private mutating func forget(
        _ scopes: Set<OnDisconnectScope>, _ isForgotten: (RealtimeChange.Part) -> Bool
    ) {
        orders = orders.compactMap { order in
            guard scopes.contains(order.scope) else { return order }
            var order = order
            switch order.change {
            case .set:
                return order.change.parts.contains(where: isForgotten) ? nil : order
            case .update(let path, let parts):
                let rest = parts.filter { part in
                    !isForgotten(RealtimeChange.Part(part.place.below(path), part.node))
                }
                order.change = .update(path, rest)
                return rest.isEmpty ? nil : order
            }
        }
    }
}
