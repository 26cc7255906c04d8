import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport

@testable import HearthSQLite
@testable import HearthStore

/// A Realtime Database's store on a bench: fresh, and gone with its value.
final class RealtimeBench {
    static let instance = named("p")

    let folder = TemporaryFolder()
    let store: RealtimeSQLiteStore

    init(intakeByteCount: Int = 64 << 12) throws {
        store = try RealtimeSQLiteStore(Self.configuration(in: folder, intakeByteCount))
    }

    /// The database of a project.
    static func named(_ project: String) -> InstanceID {
        guard let instance = InstanceID(project: project) else {
            preconditionFailure("\(project) has no database")
        }
        return instance
    }

    /// A store whose intake log is small, because tests copy it, and never too old.
    static func configuration(
        in folder: TemporaryFolder, _ intakeByteCount: Int = 64 << 12
    ) -> RealtimeStoreConfiguration {
        var configuration = RealtimeStoreConfiguration(
            path: "\(folder.path)/realtime.db", instance: instance)
        configuration.intakeByteCount = intakeByteCount
        configuration.intakeAgeMax = .seconds(86_400)
        return configuration
    }

    /// Opens what a crash at this moment would leave of a store in a folder; with where that lies.
    static func crashed(_ folder: TemporaryFolder) throws -> (
        store: RealtimeSQLiteStore, folder: TemporaryFolder
    ) {
        let copy = try folder.crashed()
        return (try RealtimeSQLiteStore(configuration(in: copy)), copy)
    }

    /// Runs a turn as a group of its own.
    @discardableResult
    func write<Result>(_ body: (any RealtimeTransaction) throws -> Result) throws -> Result {
        try store.turnAlone(body)
    }
}

extension RealtimeStore {
    /// Runs a turn as a group of its own.
    @discardableResult
    func turnAlone<Result>(_ body: (any RealtimeTransaction) throws -> Result) throws -> Result {
        try transaction { transaction throws(StoreError) in
            try typed { try body(transaction) }
        }
    }

    /// Replaces a node of the server's tree.
    func set(_ place: WritePath, _ node: Node) throws {
        try turnAlone { try $0.setServerNode(node, at: place) }
    }

    /// A node of the server's tree.
    func node(_ path: RealtimePath = .root) throws -> Node {
        try turnAlone { try $0.serverNode(at: path) }
    }

}

extension RealtimeSQLiteStore {
    /// How many rows the server's tree has, and the bytes of them that a tally has to count.
    func serverRows() throws -> (count: Int, byteCount: Int) {
        try turnAlone { _ in
            (
                Int(try connection.number("SELECT count(*) FROM server_nodes") ?? 0),
                Int(
                    try connection.number(
                        "SELECT sum(length(place) + length(node) + 8) FROM server_nodes") ?? 0)
            )
        }
    }
}

/// A place that a test spells.
func at(_ path: RealtimePath, isPriority: Bool = false) -> WritePath {
    WritePath(path, isPriority: isPriority)
}

/// A queued write that sets a place.
func queuedWrite(
    _ id: Int64, _ change: RealtimeChange? = nil, user: UserID = .unauthenticated,
    state: BatchState = .queued
) -> QueuedWrite {
    let place = WritePath(RealtimePath([ChildKey(unchecked: "w\(id % 7)")]))
    return QueuedWrite(
        id: BatchID(id),
        change: change ?? .set(place, UnresolvedNode(Node(.integer(id)))),
        writtenAt: Timestamp(seconds: 1_000 + id, nanoseconds: 7), user: user, state: state,
        writer: author)
}

/// Nodes, keys and places by chance.
struct RealtimeChance {
    static let keys: [ChildKey] = [
        "a", "b", "ab", "0", "1", "2", "10", "-1", "-0", "00", "007", "é", "e\u{301}", "\u{FFFD}",
        "\u{1F600}", "\u{E000}", "\u{D7FF}", "2147483647", "2147483648", "-2147483648", "z",
    ]

    var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func chance(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func key() -> ChildKey { Self.keys[chance(Self.keys.count)] }

    mutating func path(_ depthMax: Int = 4) -> RealtimePath {
        RealtimePath((0..<chance(depthMax + 1)).map { _ in key() })
    }

    mutating func leaf() -> LeafValue {
        switch chance(6) {
        case 0: .bool(chance(2) == 0)
        case 1: .integer(Int64.random(in: .min ... .max, using: &random))
        case 2: .double(Double(chance(1_000)) / 7)
        case 3: .string(String(repeating: "é", count: 100 + chance(300)))
        case 4: .string(String(repeating: "x", count: chance(2_000)))
        default: .string("text \(chance(100))")
        }
    }

    mutating func priority() -> LeafValue? {
        switch chance(8) {
        case 0: .integer(Int64(chance(5)))
        case 1: .string("p\(chance(5))")
        default: nil
        }
    }

    mutating func node(_ depthMax: Int = 3) -> Node {
        guard chance(8) > 0 else { return .empty }
        guard depthMax > 0, chance(3) > 0 else { return Node(leaf(), priority: priority()) }
        let children = (0..<(1 + chance(6))).map { _ in
            (key: key(), node: node(depthMax - 1))
        }
        return Node(children: children, priority: priority())
    }
}
