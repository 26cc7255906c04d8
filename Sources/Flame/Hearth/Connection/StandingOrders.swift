import HearthModel
import HearthWire

/// What the daemon is to do when the program is gone, as far as the daemon has said that it will.
///
/// The daemon keeps the orders with the session. The library gives them again to every new session,
/// so that a restart of the daemon loses none.
struct StandingOrders: Sendable {
    private struct Order: Sendable {
        var change: RealtimeChange
        let scope: OnDisconnectScope
    }

    private var orders: [Order] = []

    /// No orders.
    init() {}

    /// Whether there is nothing to do.
    var isEmpty: Bool { orders.isEmpty }

    /// The requests that give the orders again, in the order in which they were given.
    var requests: [InstanceRequest] {
        orders.map { .onDisconnect(.write($0.change), $0.scope) }
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
