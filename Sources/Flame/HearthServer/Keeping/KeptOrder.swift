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

/// The form in which orders lie on disk: a list of objects.
extension KeptOrder {
    /// The orders as the bytes of a file.
    static func bytes(of orders: [KeptOrder]) -> [UInt8] {
        JSONWriter.bytes(of: .array(orders.map(\.value))) + [UInt8(ascii: "\n")]
    }

    /// Reads a file; `nil` if it is none. An order that says nothing is left out.
    static func orders(from bytes: [UInt8]) -> [KeptOrder]? {
        guard let value = try? JSONReader.read(bytes) else { return nil }
        return value.elements?.compactMap(KeptOrder.init)
    }

    private var value: JSONValue {
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

    private init?(_ value: JSONValue) {
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
