import HashTreeCollections
import HearthEngine
package import HearthModel

/// Requests to the backend, its answers, and the fate of orders at the connection's end.
extension OnDisconnectTree {
    /// What the backend must be asked, in this order. Each must be sent.
    package mutating func takeRequests() -> [(errand: Int64, action: RealtimeAction)] {
        errands.take().compactMap { number, errand in
            var action: RealtimeAction?
            switch errand {
            case .cancel(let place, _): action = .onDisconnectCancel(place)
            case .register(let order):
                action = orders[order]?.action
                if orders[order]?.state == .waiting { orders[order]?.state = .sent }
            case .restore(let order, let places): action = orders[order]?.action(for: places)
            }
            // A race: the order was taken back before the backend heard of it.
            if action == nil { errands.finish(number) }
            return action.map { (number, $0) }
        }
    }

    /// The backend has answered a request.
    ///
    /// - Parameter error: Why the backend refused; `nil` if it did as asked.
    package mutating func answered(_ number: Int64, _ error: HearthError?) -> [Reply] {
        let askers: [RequestID]
        switch errands.finish(number) {
        case .cancel(_, let asker): askers = asker.map { [$0] } ?? []
        case .register(let number):
            guard let order = orders[number] else { return [] }
            orders[number]?.askers = []
            if error != nil {
                remove(order)
            } else if order.state == .sent {
                orders[number]?.state = .registered
            }
            askers = order.askers
        case .restore(let number, let places):
            // What the backend does not take again, it will not do.
            if error != nil { _ = forget(places.map { Part(order: number, place: $0) }) }
            askers = []
        case nil: askers = []
        }
        return askers.map { id in error.map { .refuse(id, $0) } ?? .complete(id) }
    }

    /// The connection has ended, and with it all that the backend had. What the backend had not
    /// answered waits for the next connection.
    package mutating func linkClosed() -> Remains {
        var remains = Remains()
        for order in orders.values.sorted(by: { $0.number < $1.number }) {
            switch order.state {
            case .local, .waiting: break
            case .sent: orders[order.number]?.state = .waiting
            case .registered:
                remains.changes.append(order.change)
                remove(order)
            case .leaving(let batch):
                remains.changes.append(order.change)
                if let batch { remains.dropped.append(batch) }
                remove(order)
            }
        }
        remains.replies = errands.removeAll().map { .complete($0) }
        for order in orders.values.sorted(by: { $0.number < $1.number })
        where order.state == .waiting { errands.add(.register(order.number)) }
        return remains
    }

    /// Another Firebase user signs in; the connection is closed. What the backend had not taken for
    /// the user before, it does not take at all.
    package mutating func userChanged(because error: HearthError) -> [Reply] {
        _ = errands.removeAll()
        let waiting = orders.values.filter { $0.state == .waiting }
            .sorted { $0.number < $1.number }
        for order in waiting { remove(order) }
        return waiting.flatMap(\.askers).map { .refuse($0, error) }
    }
}
