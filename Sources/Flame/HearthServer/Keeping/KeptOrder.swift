import HearthEngine
import HearthModel
import HearthProtocol

/// The orders of all programs to keep places.
typealias KeptOrders = OrderList<KeptOrder>

/// The file of the orders to keep places.
typealias KeptOrderFile = OrderListFile<KeptOrder>

/// A program's order to keep a place of an instance in step, whole or as a query shows it, and who gave
/// it.
struct KeptOrder: Hashable, Sendable {
    /// The instance.
    let instance: InstanceID
    /// The place, and the query.
    let target: ListenTarget
    /// Who gave the order: what the access rules ask of a program, without the process.
    let peer: Peer

    /// Notes an order.
    init(_ target: ListenTarget, in instance: InstanceID, by peer: Peer) {
        self.instance = instance
        self.target = target
        self.peer = peer.withoutProcess
    }
}

/// The form in which an order lies on disk: an object.
extension KeptOrder: StoredOrder {
    static let words = OrderWords(
        fileName: "kept-places.json", subject: "The places to keep", things: "places",
        entries: "orders to keep a place", configurationKey: "realtime.keep")

    var key: EngineKey { .realtime(instance) }

    /// The order as a file has it, never `nil`.
    var value: JSONValue? {
        let path = JSONValue.string(target.path.description)
        var members: [(String, JSONValue)] = [("instance", .string(instance.description))]
        // A daemon that knows no queries must not take one for the order of the whole place.
        members +=
            target.query.isDefault
            ? [("path", path)]
            : [("queriedPath", path), ("query", QueryObject.encode(target.query))]
        return .object((members + peer.members).map { JSONValue.Member(name: $0.0, value: $0.1) })
    }

    /// Reads an order; `nil` if the value says none.
    init?(_ value: JSONValue) {
        guard let instance = value["instance"]?.string.flatMap({ InstanceID(url: $0) }),
            let target = Self.target(of: value), let peer = Peer(of: value)
        else { return nil }
        self.init(target, in: instance, by: peer)
    }

    private static func target(of value: JSONValue) -> ListenTarget? {
        if let path = value["path"]?.string.flatMap({ RealtimePath($0) }) {
            return ListenTarget(path, .all)
        }
        guard let path = value["queriedPath"]?.string.flatMap({ RealtimePath($0) }),
            let query = value["query"].flatMap({ QueryObject.decode($0) })
        else { return nil }
        return ListenTarget(path, query)
    }
}
