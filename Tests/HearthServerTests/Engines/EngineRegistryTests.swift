import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthTestSupport
import Synchronization
import Testing

private let main = EngineKey.firestore(DatabaseID(project: "demo"))
private let other = EngineKey.firestore(DatabaseID(project: "demo", database: "other"))
private let till = Peer(uid: 60_001, gid: 60_001, pid: 42)

/// Open databases, and their traces after they close.
struct EngineRegistryTests {
    private let folder = TemporaryFolder()

    private func registry(countMax: Int = 64, uidCountMax: Int = 64) -> EngineRegistry {
        var configuration = ServerConfiguration()
        configuration.storeFolder = folder.path
        let assembly = FirestoreAssembly(
            configuration: configuration, outlet: Deaf(), memory: SharedSurveyMemory())
        return EngineRegistry(limits: .init(countMax: countMax, uidCountMax: uidCountMax)) {
            switch $0 {
            case .firestore(let database):
                assembly.start(database, door: ClosedDoor.silent) { SilentUpstream($0) }
            case .realtime: preconditionFailure("Nobody here asks for an instance")
            }
        }
    }

    private func settle(_ registry: EngineRegistry) async throws {
        _ = try await eventually {
            registry.all.values.map(\.lifecycle.status.phase)
        } is: {
            $0.allSatisfy { $0 == .open }
        }
    }

    private func closeIdle(_ registry: EngineRegistry) async throws -> [EngineKey] {
        try await settle(registry)
        return await registry.close(
            registry.idle(for: .zero, except: [main]), unusedFor: .zero)
    }

    private func write(to key: EngineKey, in registry: EngineRegistry) async throws {
        let mutation = Mutation(key: try DocumentKey(parsing: "rooms/hall"), kind: .set(.empty))
        _ = registry.engine(of: key)?.firestore.inlet.submit(
            [
                .write(
                    WriteRequest(
                        id: RequestID(session: 1, number: 1),
                        writer: Writer(uid: 7, gid: 7, pid: 7),
                        mutations: [mutation]))
            ], from: .session(1))
        _ = try await eventually {
            registry.engine(of: key)?.lifecycle.status.figures.acceptedCount
        } is: {
            $0 == 1
        }
    }

    private func files(of key: EngineKey) -> [String] {
        let path = StoreFolder.path(of: key, in: folder.path)
        let end = path.lastIndex(of: "/") ?? path.startIndex
        guard let stream = opendir(String(path[..<end])) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0.hasPrefix(path[end...].dropFirst()) }
    }

    @Test func `what nobody ever wrote to is closed when nobody uses it, and leaves no file`()
        async throws
    {
        let registry = registry()
        _ = try registry.attach(to: other, for: till)
        #expect(try await closeIdle(registry) == [])
        #expect(files(of: other) != [])
        registry.detach(from: other)
        #expect(try await closeIdle(registry) == [other])
        #expect(files(of: other) == [])
        #expect(registry.engine(of: other) == nil)
        _ = try registry.attach(to: other, for: till)
        try await settle(registry)
        await registry.closeAll()
    }

    @Test func `what has a queue stays open, and so does what is pinned`() async throws {
        let registry = registry()
        for database in [main, other] {
            _ = try registry.attach(to: database, for: till)
            registry.detach(from: database)
        }
        try await settle(registry)
        try await write(to: other, in: registry)
        #expect(try await closeIdle(registry) == [])
        #expect(registry.all.count == 2)
        await registry.closeAll()
        #expect(files(of: other).contains("other.sqlite"))
    }

    @Test func `the subordinate users of a user have that user's databases together`() async throws
    {
        let registry = registry(uidCountMax: 3)
        func attach(_ uid: UInt32, paidBy payer: UInt32) throws(HearthError) {
            let key = EngineKey.firestore(DatabaseID(project: "invented-\(uid)"))
            let peer = Peer(uid: uid, payer: payer, gid: 100, pid: 42)
            _ = try registry.attach(to: key, for: peer)
        }
        for uid: UInt32 in 100_000..<100_003 { try attach(uid, paidBy: 1_000) }
        let refusal = #expect(throws: HearthError.self) { try attach(100_003, paidBy: 1_000) }
        #expect(refusal?.message.contains("uid 1000 ") == true)
        try attach(60_002, paidBy: 60_002)
        try await settle(registry)
        await registry.closeAll()
    }

    @Test func `invented databases of one user end at that user's limit`() async throws {
        let registry = registry(uidCountMax: 3)
        var refusal: HearthError?
        for number in 0..<62 {
            do throws(HearthError) {
                _ = try registry.attach(
                    to: .firestore(DatabaseID(project: "invented-\(number)")), for: till)
            } catch {
                refusal = error
            }
        }
        #expect(registry.all.count == 3)
        #expect(refusal?.message.contains("limits.uidDatabaseCountMax = 3") == true)
        _ = try registry.attach(to: other, for: Peer(uid: 60_002, gid: 1, pid: 1))
        _ = try registry.attach(to: main, for: Peer(uid: 0, gid: 0, pid: 1))
        registry.detach(from: .firestore(DatabaseID(project: "invented-0")))
        #expect(try await closeIdle(registry) == [.firestore(DatabaseID(project: "invented-0"))])
        _ = try registry.attach(to: .firestore(DatabaseID(project: "invented-70")), for: till)
        try await settle(registry)
        await registry.closeAll()
    }

    @Test func `all databases together end at theirs`() async throws {
        let registry = registry(countMax: 1)
        _ = try registry.attach(to: main, for: till)
        #expect(throws: HearthError.self) { try registry.attach(to: other, for: till) }
        _ = try registry.attach(to: main, for: Peer(uid: 60_002, gid: 1, pid: 1))
        try await settle(registry)
        await registry.closeAll()
    }
}

/// Hears nothing.
struct Deaf: EngineOutlet {
    func perform(_ actions: [FirestoreEngine.Action]) {}
    func resume(_ sessions: [UInt64]) {}
    func tell(_ news: StoreNews) {}
    func statusChanged() {}

    func endSessions(_ error: HearthError) {}
}
