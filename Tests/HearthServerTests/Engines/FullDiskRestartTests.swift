import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthTestSupport
import Synchronization
import Testing

/// A daemon's engine that was stopped while there was room, and starts on a disk without any.
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
        let engine = FirestoreAssembly(
            configuration: configuration, outlet: outlet, memory: SharedSurveyMemory()
        ).start(database, door: ClosedDoor.silent) { SilentUpstream($0) }
        return Running(engine: engine, outlet: outlet)
    }

    private struct Running {
        let engine: RunningEngine
        let outlet: RecordingOutlet

        /// What operators are told of the store, unless it is well.
        var complaint: String? {
            let status = engine.lifecycle.status
            if case .failed(let error) = status.phase { return error.description }
            return status.storeFailure
        }

        /// Whether a request was answered, and not refused.
        func isServed(_ number: UInt64, _ input: (RequestID) -> FirestoreEngine.Input) async throws
            -> Bool
        {
            let id = RequestID(session: 1, number: number)
            _ = engine.firestore.inlet.submit([input(id)], from: .session(1))
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

    private func write(_ number: UInt64) throws -> (RequestID) -> FirestoreEngine.Input {
        let key = try DocumentKey(parsing: "rooms/\(number)")
        let text = Value.string("x")
        return { id in
            .write(
                WriteRequest(
                    id: id, writer: Writer(uid: 7, gid: 7, pid: 7),
                    mutations: [Mutation(key: key, kind: .set(["n": text]))]))
        }
    }

    @Test func `a start on a full disk without a reserve tells how much room helps, and where`()
        async throws
    {
        let disk = try FullDisk(byteCount: 48 << 20)
        let running = start(in: disk.folder.path)
        #expect(try await running.isServed(1, write(1)))
        await running.engine.lifecycle.close()
        let path = StoreFolder.path(of: .firestore(database), in: disk.folder.path)
        for suffix in ["-reserve", "-reserve-start"] { unlink(path + suffix) }
        try disk.fill()
        try disk.fillMore()
        let again = start(in: disk.folder.path)
        let told = try await eventually {
            again.complaint
        } is: {
            $0 != nil
        }
        let words = "MiB free on the file system of \(disk.folder.path)/firestore/demo, "
        #expect(told?.contains(words) == true, "\(told ?? "")")
        disk.makeRoom()
        _ = try await eventually {
            again.complaint
        } is: {
            $0 == nil
        }
        #expect(try await again.isServed(2, write(2)))
        await again.engine.lifecycle.close()
    }

    @Test func `a start on a full disk serves reads, and refuses writes until there is room`()
        async throws
    {
        let disk = try FullDisk(byteCount: 48 << 20)
        let running = start(in: disk.folder.path)
        for number in UInt64(1)...5 {
            #expect(try await running.isServed(number, write(number)))
        }
        await running.engine.lifecycle.close()
        try disk.fill()
        try disk.fillMore()
        let again = start(in: disk.folder.path)
        for number in UInt64(1)...20 {
            #expect(
                try await again.isServed(number) { .get($0, query, .cache) },
                "\(again.engine.lifecycle.status)")
        }
        #expect(try await again.isServed(30, write(30)) == false)
        disk.makeRoom()
        _ = try await eventually {
            try await again.isServed(UInt64.random(in: 100...UInt64.max), write(31))
        } is: {
            $0
        }
        await again.engine.lifecycle.close()
    }
}
