import Glibc
import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire
import NIOCore
import NIOPosix
import Testing

@testable import HearthServer

/// Who may pin what, and what outlives the daemon.
struct PinDeskTests {
    private let folder = TemporaryFolder()
    private let settings: LiveSettings = {
        var configuration = ServerConfiguration()
        configuration.pins.keep = [ResourcePath(["menu"])]
        return LiveSettings(LiveSettings.Values(configuration, access: .open))
    }()
    private let ada = Peer(uid: 4_001, gid: 4_001, pid: 7, unit: "till.service", groups: [5])
    private let bob = Peer(uid: 4_002, gid: 4_002, pid: 8)
    private let root = Peer(uid: 0, gid: 0, pid: 1)
    private let database = DatabaseID(project: "demo")

    private func desk() -> PinDesk {
        PinDesk(settings, standard: database, folder: folder.path)
    }

    private func query(_ path: String) throws -> Query {
        var query = Query(path: try ResourcePath(parsing: path))
        query.filters = [.field(FieldPath(["size"]), .greaterThan, .integer(3))]
        query.limit = .init(5)
        return query
    }

    private func keep(_ path: String, freshness: Duration? = nil) throws -> PinOrder {
        .keep(try query(path), name: path, freshness: freshness)
    }

    /// Carries out an order; returns the error.
    private func carryOut(
        _ order: PinOrder, at desk: PinDesk, for peer: Peer, in other: DatabaseID? = nil,
        pinnedByteCount: Int = 0
    ) async throws -> HearthError? {
        try await desk.carryOut(
            order, in: other ?? database, for: peer, pinnedByteCount: pinnedByteCount,
            on: MultiThreadedEventLoopGroup.singleton.next()
        ).get()
    }

    private func names(_ desk: PinDesk) -> [String] {
        desk.set(of: database).pins.map { "\($0.id)" }
    }

    @Test func `a pin outlives the daemon, with its query and whoever ordered it`() async throws {
        let first = desk()
        #expect(
            try await carryOut(keep("rooms", freshness: .seconds(60)), at: first, for: ada) == nil)
        #expect(
            try await carryOut(keep("rooms"), at: first, for: ada, in: .init(project: "other"))
                == nil)
        let second = desk()
        #expect(names(second) == ["menu"])
        second.load()
        #expect(names(second) == ["menu", "rooms of uid 4001"])
        #expect(second.set(of: database).pins.last == first.set(of: database).pins.last)
        #expect(second.set(of: database).pins.last?.query == (try query("rooms")))
        #expect(second.databases == [database, DatabaseID(project: "other")])
        #expect(second.uid(of: database) == nil)
        #expect(second.uid(of: DatabaseID(project: "other")) == 4_001)
    }

    @Test func `a pin of the same name gives way`() async throws {
        let desk = desk()
        _ = try await carryOut(keep("rooms"), at: desk, for: ada)
        _ = try await carryOut(
            .keep(try query("halls"), name: "rooms", freshness: nil), at: desk, for: ada)
        #expect(names(desk) == ["menu", "rooms of uid 4001"])
        #expect(desk.set(of: database).pins.last?.query == (try query("halls")))
    }

    @Test func `a pin is ended by its own user or an administrator, by nobody else`() async throws {
        let desk = desk()
        for peer in [ada, bob] { _ = try await carryOut(keep("rooms"), at: desk, for: peer) }
        let end = PinOrder.end(name: "rooms", uid: 4_001)
        #expect(try await carryOut(end, at: desk, for: bob)?.code == .permissionDenied)
        #expect(try await carryOut(.end(name: "rooms", uid: nil), at: desk, for: bob) == nil)
        #expect(
            try await carryOut(.end(name: "rooms", uid: nil), at: desk, for: bob)?.code == .notFound
        )
        #expect(names(desk) == ["menu", "rooms of uid 4001"])
        #expect(try await carryOut(end, at: desk, for: root) == nil)
        #expect(names(desk) == ["menu"])
    }

    @Test func `a pin counts for nothing without the right, and a review ends it for good`()
        async throws
    {
        let desk = desk()
        _ = try await carryOut(keep("rooms"), at: desk, for: ada)
        _ = settings.change { $0.access = .closed }
        #expect(names(desk) == ["menu"])
        let ended = desk.review()
        #expect(ended.map(\.order.pin.id) == [Pin.ID(uid: 4_001, name: "rooms")])
        #expect(ended.first?.refusal.error.code == .permissionDenied)
        _ = settings.change { $0.access = .open }
        #expect(names(desk) == ["menu"])
        let second = self.desk()
        second.load()
        #expect(names(second) == ["menu"])
    }

    @Test func `users see their own pins and what is configured, administrators see all`()
        async throws
    {
        let desk = desk()
        for peer in [ada, bob] { _ = try await carryOut(keep("rooms"), at: desk, for: peer) }
        func seen(_ peer: Peer) -> [String] { desk.ids(for: peer, in: database).map(\.description) }
        #expect(seen(ada) == ["menu", "rooms of uid 4001"])
        #expect(seen(root) == ["menu", "rooms of uid 4001", "rooms of uid 4002"])
        func meant(_ name: String, _ uid: UInt32?, _ peer: Peer) -> String? {
            desk.id(named: name, of: uid, for: peer, in: database)?.description
        }
        #expect(meant("rooms", nil, bob) == "rooms of uid 4002")
        #expect(meant("rooms", 4_001, bob) == "rooms of uid 4001")
        #expect(meant("rooms", nil, root) == "rooms of uid 4001")
        #expect(meant("menu", nil, bob) == "menu")
        #expect(meant("none", nil, root) == nil)
    }

    @Test func `how many pins a user may have, and how many bytes, is limited by name`()
        async throws
    {
        let desk = desk()
        _ = settings.change {
            $0.pins.uidCountMax = 2
            $0.pins.uidByteCountMax = 1_000
            $0.limits.uidDatabaseCountMax = 1
        }
        for path in ["a", "b", "b", "a"] {
            #expect(try await carryOut(keep(path), at: desk, for: ada, pinnedByteCount: 999) == nil)
        }
        let third = try await carryOut(keep("c"), at: desk, for: ada)
        #expect(third?.code == .resourceExhausted)
        #expect(third?.message.contains("pins.uidCountMax = 2") == true)
        let full = try await carryOut(keep("c"), at: desk, for: bob, pinnedByteCount: 1_000)
        #expect(full?.code == .resourceExhausted)
        #expect(full?.message.contains("pins.uidByteCountMax = 1000") == true)
        #expect(try await carryOut(keep("c"), at: desk, for: bob) == nil)
        let other = try await carryOut(keep("d"), at: desk, for: bob, in: .init(project: "other"))
        #expect(other?.message.contains("limits.uidDatabaseCountMax = 1") == true)
    }

    @Test func `a query that is too long to keep is refused`() async throws {
        let desk = desk()
        var long = try query("a")
        let text = String(repeating: "x", count: PinConfiguration.queryByteCountMax)
        long.filters = [.field(FieldPath(["text"]), .equal, .string(text))]
        let refused = try await carryOut(
            .keep(long, name: "long", freshness: nil), at: desk, for: ada)
        #expect(refused?.code == .invalidArgument)
        #expect(names(desk) == ["menu"])
    }

    @Test func `what cannot be read of the file is told, stays, and counts for nothing`()
        async throws
    {
        let first = desk()
        _ = try await carryOut(keep("rooms"), at: first, for: ada)
        let path = folder.path + "/pins.json"
        var text = try String(decoding: bytes(path), as: UTF8.self)
        text = text.replacing("[{", with: #"[{"project":"demo","order":"zz"},{"#)
        try put(Array(text.utf8), path)
        let second = desk()
        second.load()
        #expect(names(second) == ["menu", "rooms of uid 4001"])
        #expect(second.complaint?.contains("1 of the entries") == true)
        _ = try await carryOut(keep("halls"), at: second, for: ada)
        #expect(try String(decoding: bytes(path), as: UTF8.self).contains(#""zz""#))
        try put([0xFF], path)
        let third = desk()
        third.load()
        #expect(names(third) == ["menu"])
        #expect(try await carryOut(keep("a"), at: third, for: ada)?.code == .dataLoss)
        #expect(try bytes(path) == [0xFF])
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        try #require(try OrderFile("pins.json", of: "The pins", in: folder.path).read())
    }

    private func put(_ bytes: [UInt8], _ path: String) throws {
        try OrderFile("pins.json", of: "The pins", in: folder.path).write(bytes)
    }
}
