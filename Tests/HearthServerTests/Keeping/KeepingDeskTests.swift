import Glibc
import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthServer

struct KeepingDeskTests {
    private let folder = TemporaryFolder()
    private let settings: LiveSettings = {
        var configuration = ServerConfiguration()
        configuration.realtime.keep = ["/menu"]
        return LiveSettings(LiveSettings.Values(configuration, access: .open))
    }()
    private let ada = Peer(uid: 4_001, gid: 4_001, pid: 7, unit: "till.service", groups: [5])
    private let bob = Peer(uid: 4_002, gid: 4_002, pid: 8)

    private var instance: InstanceID {
        get throws { try #require(InstanceID(project: "demo")) }
    }

    private func desk() throws -> KeepingDesk {
        KeepingDesk(settings, standard: try instance, folder: folder.path)
    }

    private func paths(of desk: KeepingDesk) throws -> [RealtimePath] {
        desk.targets(in: try instance).map(\.path)
    }

    /// Carries out an order; returns the places that are told, or the error.
    private func carryOut(
        _ order: KeepOrder, at desk: KeepingDesk, for peer: Peer, in other: InstanceID? = nil,
        changed: @escaping @Sendable (InstanceID) -> Void = { _ in }
    ) async throws -> Result<[KeptPlace], HearthError> {
        let event = try await desk.answer(
            to: order, in: try other ?? instance, for: peer,
            on: MultiThreadedEventLoopGroup.singleton.next(), changed: changed
        ).get()
        switch event {
        case .keptPlaces(let places, _): return .success(places)
        case .failed(let error): return .failure(error)
        default: throw HearthError(code: .internalError, message: "an event of kind \(event.kind)")
        }
    }

    @Test func `an order outlives the daemon, beside the places of the configuration`() async throws
    {
        let first = try desk()
        _ = try await carryOut(.keep("/rooms/hall"), at: first, for: ada).get()
        let second = try desk()
        #expect(try paths(of: second) == ["/menu"])
        second.load()
        #expect(try paths(of: second) == ["/menu", "/rooms/hall"])
        let own = try instance
        #expect(second.instances == [own])
        let told = try await carryOut(.tell, at: second, for: ada).get()
        #expect(told.map(\.target.path) == ["/menu", "/rooms/hall"])
        #expect(told.map(\.uid) == [nil, 4_001])
    }

    @Test func `an order is taken back by its own user or an administrator, by nobody else`()
        async throws
    {
        let desk = try desk()
        _ = try await carryOut(.keep("/a"), at: desk, for: ada).get()
        _ = try await carryOut(.keep("/a"), at: desk, for: bob).get()
        _ = try await carryOut(.release("/a"), at: desk, for: bob).get()
        #expect(try paths(of: desk) == ["/a", "/menu"])
        _ = try await carryOut(.release("/a"), at: desk, for: Peer(uid: 0, gid: 0, pid: 1)).get()
        #expect(try paths(of: desk) == ["/menu"])
    }

    @Test func `an order rests while the rules do not let its user read the place`() async throws {
        let desk = try desk()
        _ = try await carryOut(.keep("/a"), at: desk, for: ada).get()
        _ = settings.change { $0.access = .closed }
        #expect(try paths(of: desk) == ["/menu"])
        let told = try await carryOut(.tell, at: desk, for: ada).get()
        #expect(told.map(\.isAllowed) == [false])
        _ = settings.change { $0.access = .open }
        #expect(try paths(of: desk) == ["/a", "/menu"])
    }

    private static let last = QueryParameters(index: .key, limit: .init(3, from: .last))

    @Test
    func `a query is kept beside its place, by each user, until the same query is taken back`()
        async throws
    {
        let first = try desk()
        let query = ListenTarget("/log", Self.last)
        for order: KeepOrder in [.keep(query), .keep("/log"), .keep(query)] {
            _ = try await carryOut(order, at: first, for: ada).get()
        }
        let desk = try desk()
        desk.load()
        let told = try await carryOut(.tell, at: desk, for: ada).get()
        #expect(
            Set(told.map(\.target)) == [
                query, ListenTarget("/log", .all), ListenTarget("/menu", .all),
            ])
        #expect(told.count == 3)
        _ = try await carryOut(.release("/log"), at: desk, for: ada).get()
        #expect(desk.targets(in: try instance) == [query, ListenTarget("/menu", .all)])
        _ = try await carryOut(.release(query), at: desk, for: ada).get()
        #expect(desk.targets(in: try instance) == [ListenTarget("/menu", .all)])
    }

    @Test
    func `a query that shows all keeps the place, and a daemon without queries reads no place`()
        async throws
    {
        let desk = try desk()
        let sorted = ListenTarget("/log", QueryParameters(index: .value))
        _ = try await carryOut(.keep(sorted), at: desk, for: ada).get()
        #expect(desk.targets(in: try instance).map(\.query) == [.all, .all])
        let order = KeptOrder(ListenTarget("/log", Self.last), in: try instance, by: ada)
        let value = try #require(order.value)
        #expect(value["path"] == nil)
        #expect(KeptOrder(value) == order)
    }

    @Test func `what a user may keep is counted, and the same place once`() async throws {
        let desk = try desk()
        _ = settings.change { $0.limits.uidKeptPlaceCountMax = 2 }
        for path: RealtimePath in ["/a", "/b", "/b", "/a"] {
            _ = try await carryOut(.keep(path), at: desk, for: ada).get()
        }
        guard case .failure(let error) = try await carryOut(.keep("/c"), at: desk, for: ada) else {
            Issue.record("A third place is kept")
            return
        }
        #expect(error.code == .resourceExhausted)
        #expect(error.message.contains("limits.uidKeptPlaceCountMax = 2"))
        _ = try await carryOut(.keep("/c"), at: desk, for: bob).get()
        guard case .failure(let error) = try await carryOut(.keep(.info), at: desk, for: bob) else {
            Issue.record("What is never stored is kept")
            return
        }
        #expect(error.code == .invalidArgument)
    }

    @Test func `a user keeps places of so many databases, which count for the user`() async throws {
        let desk = try desk()
        _ = settings.change { $0.limits.uidDatabaseCountMax = 2 }
        let others = try ["one", "two", "three"].map { try #require(InstanceID(project: $0)) }
        for other in others[..<2] {
            _ = try await carryOut(.keep("/a"), at: desk, for: ada, in: other).get()
            _ = try await carryOut(.keep("/b"), at: desk, for: ada, in: other).get()
        }
        guard
            case .failure(let error) =
                try await carryOut(.keep("/a"), at: desk, for: ada, in: others[2])
        else {
            Issue.record("A place of a third database is kept")
            return
        }
        #expect(error.code == .resourceExhausted)
        #expect(error.message.contains("limits.uidDatabaseCountMax = 2"))
        _ = try await carryOut(.keep("/a"), at: desk, for: bob, in: others[2]).get()
        let again = try self.desk()
        again.load()
        #expect(others.map(again.uid) == [4_001, 4_001, 4_002])
        #expect(again.uid(of: try instance) == nil)
        _ = settings.change { $0.access = .closed }
        #expect(again.uid(of: others[0]) == nil)
    }

    @Test func `a file that cannot be read is told, not written over, and read when it can be`()
        async throws
    {
        let kept = try desk()
        _ = try await carryOut(.keep("/rooms"), at: kept, for: ada).get()
        let file = KeptOrderFile(folder: folder.path)
        let bytes = try file.read().bytes
        _ = try folder.write("{", to: "kept-places.json")
        let desk = try desk()
        desk.load()
        #expect(desk.complaint?.contains("kept-places.json") == true)
        #expect(try paths(of: desk) == ["/menu"])
        for order: KeepOrder in [.keep("/a"), .release("/a"), .tell] {
            guard case .failure(let error) = try await carryOut(order, at: desk, for: bob) else {
                Issue.record("The order counts")
                return
            }
            #expect(error.code == .dataLoss)
        }
        #expect(throws: HearthError.self) { try file.read() }
        _ = try folder.write(String(decoding: bytes, as: UTF8.self), to: "kept-places.json")
        let changed = Mutex<Set<InstanceID>>([])
        let other = try #require(InstanceID(project: "other"))
        _ = try await carryOut(.keep("/a"), at: desk, for: bob, in: other) { instance in
            _ = changed.withLock { $0.insert(instance) }
        }.get()
        #expect(desk.complaint == nil)
        #expect(try paths(of: desk) == ["/menu", "/rooms"])
        #expect(changed.withLock { $0 } == [try instance, other])
        #expect(try file.read().list.map(\.target.path) == ["/rooms", "/a"])
    }

    @Test func `an entry that says nothing is told, and stays`() async throws {
        let desk = try desk()
        let text = #"[{"instance":"of a later daemon","depth":3}]"#
        _ = try folder.write(text, to: "kept-places.json")
        desk.load()
        #expect(desk.complaint?.contains("1 of the entries") == true)
        _ = try await carryOut(.keep("/a"), at: desk, for: bob).get()
        let orders = try KeptOrderFile(folder: folder.path).read()
        #expect(orders.list.map(\.target.path) == ["/a"])
        #expect(orders.unread == (try JSONReader.read(Array(text.utf8))).elements)
    }

    /// What an instance was told last.
    private final class Told: Sendable {
        let targets = Mutex<[ListenTarget]>([])
    }

    @Test func `what two tell an instance at once ends with what counts`() async throws {
        let desk = try desk()
        let (instance, settings) = (try instance, settings)
        let told = Told()
        for round in 0..<500 {
            await withTaskGroup(of: Void.self) { group in
                for side in ["x", "y"] {
                    group.addTask {
                        let path = RealtimePath([ChildKey(unchecked: "\(side)\(round)")])
                        _ = settings.change { $0.keep = [path] }
                        desk.tell(instance) { targets in
                            sched_yield()
                            told.targets.withLock { $0 = targets }
                        }
                    }
                }
            }
            let last = told.targets.withLock { $0 }
            #expect(last == desk.targets(in: instance), "round \(round)")
        }
    }

    @Test func `orders are read as they were written, with and without a unit`() throws {
        var orders = KeptOrders()
        orders.list.append(KeptOrder(ListenTarget("/a", .all), in: try instance, by: bob))
        orders.list.append(KeptOrder(ListenTarget("/a", Self.last), in: try instance, by: bob))
        var inUnit = ada
        inUnit.userUnit = UserUnit(name: "app.service", uid: 4_001)
        orders.list.append(KeptOrder(ListenTarget("/b", .all), in: try instance, by: inUnit))
        #expect(KeptOrders(orders.bytes) == orders)
    }
}

extension KeepOrder {
    fileprivate static func keep(_ path: RealtimePath) -> KeepOrder {
        .keep(ListenTarget(path, .all))
    }

    fileprivate static func release(_ path: RealtimePath) -> KeepOrder {
        .release(ListenTarget(path, .all))
    }
}
