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
        var peer = peer
        peer.pid = 0
        self.peer = peer
    }
}

/// The form in which an order lies on disk: an object.
extension KeptOrder {
    /// The order as a file has it.
    var value: JSONValue {
        var members: [(String, JSONValue)] = [
            ("instance", .string(instance.description)), ("path", .string(path.description)),
            ("uid", .integer(Int64(peer.uid))), ("gid", .integer(Int64(peer.gid))),
            ("groups", .array(peer.groups.map { .integer(Int64($0)) })),
        ]
        if let unit = peer.unit { members.append(("unit", .string(unit))) }
        if let unit = peer.userUnit {
            members.append(("userUnit", .string(unit.name)))
            members.append(("userUnitOf", .integer(Int64(unit.uid))))
        }
        return .object(members.map { JSONValue.Member(name: $0.0, value: $0.1) })
    }

    /// Reads an order; `nil` if the value says none.
    init?(_ value: JSONValue) {
        guard let instance = value["instance"]?.string.flatMap({ InstanceID(url: $0) }),
            let path = value["path"]?.string.flatMap({ RealtimePath($0) }),
            let uid = Self.id(value["uid"]), let gid = Self.id(value["gid"])
        else { return nil }
        var peer = Peer(
            uid: uid, gid: gid, pid: 0, unit: value["unit"]?.string,
            groups: value["groups"]?.elements?.compactMap(Self.id) ?? [])
        if let name = value["userUnit"]?.string, let owner = Self.id(value["userUnitOf"]) {
            peer.userUnit = UserUnit(name: name, uid: owner)
        }
        self.init(path, in: instance, by: peer)
    }

    private static func id(_ value: JSONValue?) -> UInt32? {
        value?.integer.flatMap { UInt32(exactly: $0) }
    }
}
