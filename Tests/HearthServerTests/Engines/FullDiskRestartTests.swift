import Glibc
import HearthFirestore
import HearthModel
import HearthServer
import HearthTestSupport
import Synchronization
import Testing

/// A daemon's engine that starts on a disk without room, whatever way that came about.
@Suite(.serialized, .enabled(if: FullDisk.isAllowed, "file systems may be mounted"))
struct FullDiskRestartTests {
    private let database = DatabaseID(project: "demo")
    private let query = Query(path: ResourcePath(["rooms"]))

    /// Starts the engine of a store in a folder, without a backend.
    private func start(in folder: String) -> Running {
        var configuration = ServerConfiguration()
        configuration.storeFolder = folder
        configuration.isUpstreamEnabled = false
        let outlet = RecordingOutlet(FaultyStore.Script())
        let engine = EngineAssembly(configuration: configuration, outlet: outlet).start(database) {
            SilentUpstream($0)
        }
        return Running(engine: engine, outlet: outlet)
    }

    private struct Running {
        let engine: RunningEngine
        let outlet: RecordingOutlet

        /// Whether a request was answered, and not refused.
        func isServed(_ number: UInt64, _ input: (RequestID) -> FirestoreEngine.Input) async throws
            -> Bool
        {
            let id = RequestID(session: 1, number: number)
            _ = engine.inlet.submit([input(id)], from: .session(1))
            return try await eventually {
                outlet.actions.compactMap { action -> Bool? in
                    switch action {
                    case .answer(id, _), .accept(id, _): true
                    case .refuse(id, _): false
                    default: nil
                    }
                }.first
            } is: {
                $0 != nil
            } ?? false
        }
    }

    /// - Parameter byteCount: With more than the intake log takes, the database itself has to grow.
    private func write(_ number: UInt64, byteCount: Int = 10) throws
        -> (RequestID) -> FirestoreEngine.Input
    {
        let key = try DocumentKey(parsing: "rooms/\(number)")
        let text = Value.string(String(repeating: "x", count: byteCount))
        return { id in
            .write(
                WriteRequest(
                    id: id, writer: Writer(uid: 7, gid: 7, pid: 7),
                    mutations: [Mutation(key: key, kind: .set(["n": text]))]))
        }
    }

    /// Ways to a full disk on which a daemon starts.
    enum Way: String, CaseIterable {
        case stoppedThenFilled, filledThenStopped, filledThenKilled
    }

    @Test(arguments: Way.allCases)
    func `a start on a full disk serves reads, and refuses writes until there is room`(way: Way)
        async throws
    {
        let first = try FullDisk(byteCount: 48 << 20)
        let running = start(in: first.folder.path)
        for number in UInt64(1)...5 {
            #expect(try await running.isServed(number, write(number)))
        }
        var disk = first
        if way != .stoppedThenFilled {
            try first.fill()
            var number = UInt64(100)
            while try await running.isServed(number, write(number, byteCount: 600_000)) {
                number += 1
            }
            try first.fillMore()  // Others take what was given back.
        }
        if way == .filledThenKilled {
            // What a kill leaves: the files, without what only a living daemon holds.
            disk = try FullDisk(byteCount: 48 << 20)
            try copyStore(from: first, to: disk)
        }
        await running.engine.inlet.close()
        try disk.fill()
        try disk.fillMore()
        let again = start(in: disk.folder.path)
        for number in UInt64(1)...20 {
            #expect(
                try await again.isServed(number) { .get($0, query, .cache) },
                "\(again.engine.inlet.status)")
        }
        #expect(try await again.isServed(30, write(30)) == false)
        disk.makeRoom()
        _ = try await eventually {
            try await again.isServed(UInt64.random(in: 100...UInt64.max), write(31))
        } is: {
            $0
        }
        await again.engine.inlet.close()
    }

    private func copyStore(from first: FullDisk, to second: FullDisk) throws {
        let folder = "/firestore/demo"
        for part in ["/firestore", folder] {
            try #require(mkdir(second.folder.path + part, 0o700) == 0)
        }
        let names = ["", "-wal", "-shm", "-intake", "-lock"].map { "(default).sqlite\($0)" }
        for name in names {
            let path = "\(first.folder.path)\(folder)/\(name)"
            guard access(path, F_OK) == 0 else { continue }
            try first.folder.copy("\(folder)/\(name)", to: second.folder)
        }
    }
}
