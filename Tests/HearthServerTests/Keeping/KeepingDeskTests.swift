import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire
import NIOCore
import NIOPosix
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
        desk.paths(in: try instance)
    }

    /// Carries out an order; returns the places that are told, or the error.
    private func carryOut(
        _ order: KeepOrder, at desk: KeepingDesk, for peer: Peer
    ) async throws -> Result<[KeptPlace], HearthError> {
        let event = try await desk.answer(
            to: order, in: try instance, for: peer,
            on: MultiThreadedEventLoopGroup.singleton.next(), changed: { _ in }
        ).get()
        switch event {
        case .keptPlaces(let places): return .success(places)
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
        try second.load()
        #expect(try paths(of: second) == ["/menu", "/rooms/hall"])
        let own = try instance
        #expect(second.instances == [own])
        let told = try await carryOut(.tell, at: second, for: ada).get()
        #expect(told.map(\.path) == ["/menu", "/rooms/hall"])
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

    @Test func `a file that holds no orders is told, and one without a unit is read`() throws {
        _ = try folder.write("{", to: "kept-places.json")
        #expect(throws: HearthError.self) { try desk().load() }
        let order = KeptOrder("/a", in: try instance, by: bob)
        var inUnit = ada
        inUnit.userUnit = UserUnit(name: "app.service", uid: 4_001)
        let other = KeptOrder("/b", in: try instance, by: inUnit)
        #expect(KeptOrder.orders(from: KeptOrder.bytes(of: [order, other])) == [order, other])
    }
}
