import HearthEngine
import HearthModel

/// Who gave an order that outlives the program, as far as the access rules ask.
extension Peer {
    /// The peer without the process, which may be gone.
    var withoutProcess: Peer {
        var peer = self
        peer.pid = 0
        return peer
    }

    /// Who pays now for what the peer has ordered: an order may be older than the daemon knows payers.
    var orderPayer: UInt32 { SubordinateUsers.ofMachine.owner(of: uid) }

    /// The peer as members of an order's object in a file.
    var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("uid", .integer(Int64(uid))), ("gid", .integer(Int64(gid))),
            ("groups", .array(groups.map { .integer(Int64($0)) })),
        ]
        if let unit { members.append(("unit", .string(unit))) }
        if let userUnit {
            members.append(("userUnit", .string(userUnit.name)))
            members.append(("userUnitOf", .integer(Int64(userUnit.uid))))
        }
        return members
    }

    /// Reads the peer of an order's object; `nil` if the object names none.
    init?(of order: JSONValue) {
        guard let uid = Self.id(order["uid"]), let gid = Self.id(order["gid"]) else { return nil }
        self.init(
            uid: uid, gid: gid, pid: 0, unit: order["unit"]?.string,
            groups: order["groups"]?.elements?.compactMap(Self.id) ?? [])
        if let name = order["userUnit"]?.string, let owner = Self.id(order["userUnitOf"]) {
            userUnit = UserUnit(name: name, uid: owner)
        }
    }

    private static func id(_ value: JSONValue?) -> UInt32? {
        value?.integer.flatMap { UInt32(exactly: $0) }
    }
}
