import Glibc
import Hearth
import HearthTestSupport
import Synchronization

/// An emulator and its machines, all in a single folder.
final class World: Sendable {
    let folder = TemporaryFolder()
    private let emulator = Mutex<ChildProcess?>(nil)
    private let machines = Mutex<[Machine]>([])

    /// Where the machines find their backend.
    let emulatorAddress: String

    /// What the emulator is always started with.
    private let emulatorFlags: [String]

    /// - Parameters:
    ///   - isOnline: Whether the emulator runs from the start.
    ///   - rules: The emulator's security rules, for callers that name a user.
    ///   - flags: What else it is always started with.
    init(isOnline: Bool = true, rules: String? = nil, emulatorFlags flags: [String] = []) throws {
        emulatorAddress = "unix:\(folder.path)/firestore.sock"
        if let rules {
            emulatorFlags = ["--rules", try folder.write(rules, to: "firestore.rules")] + flags
        } else {
            emulatorFlags = flags
        }
        if isOnline { try startEmulator() }
    }

    /// - Parameter address: Of a backend that somebody else runs.
    init(reaching address: String) {
        emulatorAddress = address
        emulatorFlags = []
    }

    /// Starts the emulator, with what it knew before.
    ///
    /// - Parameter flags: More than it is always started with.
    func startEmulator(_ flags: [String] = []) throws {
        let process = try ChildProcess(
            "hearthd",
            ["emulate", "--firestore", emulatorAddress, "--data", folder.path + "/backend"]
                + emulatorFlags + flags,
            log: folder.path + "/emulator.log")
        emulator.withLock { $0 = process }
    }

    /// Takes the backend away from one moment to the next.
    func killEmulator() {
        let process = emulator.withLock { emulator in
            defer { emulator = nil }
            return emulator
        }
        process?.kill9()
    }

    /// A machine with a daemon that runs as long as the world, and nothing in its cache.
    func machine(
        _ name: String = "machine", _ flags: [String] = [], environment: [String] = [],
        project: String? = "demo"
    ) throws -> Machine {
        let machine = Machine(
            name, reaching: emulatorAddress, folder,
            (project.map { ["--database.project", $0] } ?? []) + flags, environment)
        machines.withLock { $0.append(machine) }
        try machine.startDaemon()
        return machine
    }

    /// Writes a file into the world's folder; returns its path.
    func write(_ text: String, to name: String) -> String {
        let path = "\(folder.path)/\(name)"
        guard let file = fopen(path, "w") else { return path }
        fputs(text, file)
        fclose(file)
        return path
    }

    /// What a process wrote to its log, for a failure's sake.
    func log(_ name: String) -> String {
        guard let file = fopen("\(folder.path)/\(name).log", "r") else { return "no log" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A daemon with its socket and its store.
final class Machine: Sendable {
    let name: String
    private let emulatorAddress: String
    private let folder: TemporaryFolder
    private let flags: [String]
    private let environment: [String]
    private let daemon = Mutex<ChildProcess?>(nil)

    init(
        _ name: String, reaching emulatorAddress: String, _ folder: TemporaryFolder,
        _ flags: [String], _ environment: [String]
    ) {
        self.environment = environment
        self.name = name
        self.emulatorAddress = emulatorAddress
        self.folder = folder
        self.flags = flags
    }

    var socketPath: String { "\(folder.path)/\(name).sock" }

    func startDaemon() throws {
        let process = try ChildProcess(
            "hearthd",
            [
                "--upstream.emulator", emulatorAddress,
                "--store.folder", "\(folder.path)/\(name)",
                "--sockets.client", socketPath,
                "--sockets.control", "\(folder.path)/\(name)-control.sock",
                "--log.level", "debug",
            ] + flags, log: "\(folder.path)/\(name).log", environment: environment)
        daemon.withLock { $0 = process }
    }

    /// Ends the daemon as a power cut would.
    func killDaemon() { takeDaemon()?.kill9() }

    /// Ends the daemon as a trap of its own would, by this signal; returns how long it took to be gone.
    func crashDaemon(_ signal: Int32) -> Duration {
        let process = takeDaemon()
        return ContinuousClock().measure {
            process?.signal(signal)
            _ = process?.exitStatus()
        }
    }

    /// Has the daemon stand still, or go on, as `kill -STOP` and `kill -CONT` do.
    func setStandingStill(_ isStill: Bool) {
        daemon.withLock { $0?.signal(isStill ? SIGSTOP : SIGCONT) }
    }

    /// Asks the daemon to end; returns its exit status.
    @discardableResult
    func stopDaemon() -> Int32 { takeDaemon()?.terminate() ?? 0 }

    /// A program's own connection to the daemon.
    func client(connectTimeout: Duration = .seconds(20)) -> Firestore {
        Firestore(
            settings: FirestoreSettings(socketPath: socketPath, connectTimeout: connectTimeout))
    }

    private func takeDaemon() -> ChildProcess? {
        daemon.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
    }
}
