import Glibc
import HearthTestSupport

/// A program with Google's own Python client that listens to rooms, and tells each event.
///
/// An event is a line: the kind, the name, the number and the mark of one change. A mark is what
/// the update time holds below a microsecond: 0 for the backend's time, 1 for a promised one.
final class PythonListener: Sendable {
    private static let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"

    private static let program = """
        import threading
        from google.cloud import firestore
        client = firestore.Client(project="demo")
        def told(documents, changes, read_time):
            for change in sorted(
                f"{c.type.name} {c.document.id} {c.document.get('n')} "
                f"{c.document.update_time.nanosecond % 1000}" for c in changes):
                print(change, flush=True)
        watch = client.collection("rooms").on_snapshot(told)
        while watch.is_active:
            threading.Event().wait(0.5)
        print("over", flush=True)
        """

    private let world: World
    private let name: String
    private let process: ChildProcess

    /// Starts to listen through a machine's gateway.
    ///
    /// - Parameter isLocal: Whether by the socket that answers from the cache first.
    init(_ world: World, _ machine: Machine, isLocal: Bool = false) throws {
        self.world = world
        name = isLocal ? "local-listener" : "listener"
        process = try ChildProcess(
            GooglePython.path, ["-c", Self.program],
            log: "\(world.folder.path)/\(name)-errors.log",
            output: "\(world.folder.path)/\(name).log",
            environment: [
                "PATH=\(Self.path)",
                "FIRESTORE_EMULATOR_HOST=unix:\(machine.gatewayPath(isLocal: isLocal))",
            ])
    }

    /// The events so far.
    var events: [String] {
        world.log(name).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map { String($0) }
    }

    /// The processor's time that the program has used.
    var processorTime: Duration { process.processorTime ?? .zero }

    /// Waits until exactly these events have come.
    func hears(_ events: [String]) async throws {
        do {
            _ = try await eventually({ self.events }, is: { $0.count >= events.count })
        } catch {
            throw TooLate(last: "\(self.events)\n\(world.log("\(name)-errors"))")
        }
        guard self.events == events else { throw TooLate(last: "\(self.events)") }
    }
}

extension Machine {
    /// Where official clients find the daemon.
    func gatewayPath(isLocal: Bool = false) -> String {
        let end = isLocal ? "-firestore-local.sock" : "-firestore.sock"
        return socketPath.replacing(".sock", with: end)
    }
}
