import HearthEngine
import HearthModel
import HearthWire

/// The orders of all programs to pin queries.
typealias PinnedOrders = OrderList<PinnedOrder>

/// The file of the orders to pin queries.
typealias PinnedOrderFile = OrderListFile<PinnedOrder>

/// A program's order to pin a query of a database, and who gave it.
struct PinnedOrder: Hashable, Sendable {
    /// The database.
    let database: DatabaseID
    /// What is pinned.
    let pin: Pin
    /// Who gave the order: what the access rules ask of a program, without the process.
    let peer: Peer

    /// Notes an order.
    init(_ pin: Pin, in database: DatabaseID, by peer: Peer) {
        self.database = database
        self.pin = pin
        self.peer = peer.withoutProcess
    }
}

/// The form in which an order lies on disk: an object.
///
/// The query is the body of the frame that ordered it, in hexadecimal: a reader of orders from outside
/// reads it, with all its limits. `query` tells people what it says.
extension PinnedOrder: StoredOrder {
    static let words = OrderWords(
        fileName: "pins.json", subject: "The pins", things: "pins", entries: "pins",
        configurationKey: "pins.keep")

    var key: EngineKey { .firestore(database) }

    /// The order as a file has it; `nil` for a query that no frame holds.
    var value: JSONValue? {
        let order = PinOrder.keep(pin.query, name: pin.id.name, freshness: pin.freshness)
        let request = Request.firestore(.pin(order))
        guard let frame = try? WireCodec(database: database).frame(of: request, number: 1) else {
            return nil
        }
        let members: [(String, JSONValue)] = [
            ("project", .string(database.project)), ("database", .string(database.database)),
            ("name", .string(pin.id.name)), ("query", .string(pin.query.canonicalID)),
            ("order", .string(Self.digits(of: frame.body))),
        ]
        return .object((members + peer.members).map { JSONValue.Member(name: $0.0, value: $0.1) })
    }

    /// Reads an order; `nil` if the value says none.
    init?(_ value: JSONValue) {
        guard let project = value["project"]?.string, DatabaseID.isProjectID(project),
            let name = value["database"]?.string,
            utf8Equals(name, DatabaseID.defaultName) || DatabaseID.isDatabaseID(name),
            let body = value["order"]?.string.flatMap(Self.bytes(of:)), let peer = Peer(of: value)
        else { return nil }
        let database = DatabaseID(project: project, database: name)
        let frame = Frame(kind: Self.kind, request: 1, body: body)
        guard
            case .firestore(.pin(.keep(let query, let name, let freshness)))? =
                try? WireCodec(database: database).request(frame)
        else { return nil }
        let id = Pin.ID(uid: peer.uid, name: name)
        self.init(Pin(id: id, query: query, freshness: freshness), in: database, by: peer)
    }

    private static let kind = Request.firestore(.pin(.list)).kind

    private static func digits(of bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    private static func bytes(of digits: String) -> [UInt8]? {
        let digits = Array(digits.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard
                let byte = UInt8(
                    String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
