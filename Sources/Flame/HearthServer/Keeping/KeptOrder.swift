import HearthEngine
import HearthModel

/// A program's order to keep a place of an instance in step, and who gave it.
struct KeptOrder: Hashable, Sendable {
    /// The instance.
    let instance: InstanceID
    /// The place.
    let path: RealtimePath
    /// Who gave the order: what the access rules ask of a program, without the process.
    let peer: Peer

    /// Notes an order.
    init(_ path: RealtimePath, in instance: InstanceID, by peer: Peer) {
        self.instance = instance
        self.path = path
        self.peer = peer.withoutProcess
    }
}

/// The form in which an order lies on disk: an object.
extension KeptOrder {
    /// The order as a file has it.
    var value: JSONValue {
        let members: [(String, JSONValue)] = [
            ("instance", .string(instance.description)), ("path", .string(path.description)),
        ]
        return .object((members + peer.members).map { JSONValue.Member(name: $0.0, value: $0.1) })
    }

    /// Reads an order; `nil` if the value says none.
    init?(_ value: JSONValue) {
        guard let instance = value["instance"]?.string.flatMap({ InstanceID(url: $0) }),
            let path = value["path"]?.string.flatMap({ RealtimePath($0) }),
            let peer = Peer(of: value)
        else { return nil }
        self.init(path, in: instance, by: peer)
    }
}
