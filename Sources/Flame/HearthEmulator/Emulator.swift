package import HearthBackend
package import HearthModel
package import Logging
import NIOCore

/// Where an emulator listens, and where it keeps its documents.
package struct EmulatorConfiguration: Sendable {
    /// Where `google.firestore.v1` is served, by gRPC and by REST, and the Realtime Database beside it.
    package var firestore: [EmulatorAddress]
    /// Where the same is served besides, for clients that look for the Realtime Database.
    package var realtime: [EmulatorAddress] = []
    /// The folder that outlives the process; `nil` keeps everything in memory.
    package var dataFolder: String?
    /// How much the backend remembers.
    package var settings: BackendSettings
    /// Files of documents to begin with. Those of `seeds` count only while there are no documents.
    package var imports: [String] = []
    /// Files of documents for an emulator that has none.
    package var seeds: [String] = []
    /// Where to write everything at the end; a bundle if it ends in `.bundle`, else JSON.
    package var exportPath: String?
    /// The folder whose files requests may have written and read; `nil` for none.
    package var filesFolder: String?
    /// Hosts beside this machine's own by which browsers may ask for the emulator, and whose pages may
    /// look after it. Without ports.
    package var hostNames: [String] = []
    /// Where paths in files belong that name no database.
    package var database = DatabaseID(project: "demo")
    /// What goes wrong from the start, as flags have it: `METHOD:KIND=VALUE*COUNT`.
    package var faults: [String] = []
    /// How far the clock stands from the system's.
    package var clockStep = Duration.zero

    /// Serves at some addresses.
    package init(
        firestore: [EmulatorAddress], dataFolder: String? = nil,
        settings: BackendSettings = BackendSettings()
    ) {
        self.firestore = firestore
        self.dataFolder = dataFolder
        self.settings = settings
    }

    /// Reads a database's name, `projects/P/databases/D`.
    ///
    /// - Throws: `HearthError` `invalidArgument`.
    package static func database(_ name: String) throws(HearthError) -> DatabaseID {
        try NameReader.database(name)
    }
}

/// Firestore's other side as a process: `HearthBackend` behind gRPC and REST, kept in a folder if
/// asked.
///
/// It believes every caller, as emulators do, and answers any database of any project. Callers other
/// than the admin are held to the rules of their project, if it has some.
package final class Emulator: Sendable {
    /// How often quiet streams get a fresh token.
    static let heartbeatInterval = Duration.seconds(30)

    /// What goes wrong on purpose, for tests.
    package let faults = FaultTable()

    private let configuration: EmulatorConfiguration
    private let logger: Logger
    private let host: BackendHost
    private let realtime: RealtimeHost
    private let helpers: HelperEndpoints
    private let webGuard: WebGuard
    private let stop = AsyncStream.makeStream(of: Void.self)

    /// Opens the folder and reads what it holds.
    ///
    /// - Throws: `HearthError` if the folder cannot be used; the message says why.
    package init(configuration: EmulatorConfiguration, logger: Logger) throws(HearthError) {
        self.configuration = configuration
        self.logger = logger
        webGuard = try WebGuard(
            names: configuration.hostNames,
            addresses: configuration.firestore + configuration.realtime)
        let files = try configuration.filesFolder.map { path throws(HearthError) in
            try FileFolder(path)
        }
        let keeper = try configuration.dataFolder.map { folder throws(HearthError) in
            try Keeper(folder: folder)
        }
        self.host = try BackendHost(keeper: keeper, settings: configuration.settings)
        let nodes = try configuration.dataFolder.map { folder throws(HearthError) in
            try RealtimeKeeper(folder: folder)
        }
        realtime = try RealtimeHost(keeper: nodes, clock: host.clock)
        helpers = HelperEndpoints(host: host, faults: faults, files: files)
        host.clock.move(to: configuration.clockStep)
        for text in configuration.faults { faults.inject(try FaultWish.fault(text)) }
    }

    /// Gives a project its rules, from now on and while the process lasts.
    ///
    /// Rules that a project was given by its endpoint are kept in the folder, and stay its own.
    ///
    /// - Parameters:
    ///   - source: In the rules language of `service cloud.firestore`.
    ///   - project: `nil` for every project that is given none of its own.
    /// - Throws: `HearthError` `invalidArgument` with line and column; the rules stay as they were.
    package func setRules(_ source: String, project: String? = nil) throws(HearthError) {
        try host.setRules(source, project: project)
    }

    /// Serves until the task is cancelled or `shutdown` is called.
    ///
    /// - Parameter onReady: Called once, when every address accepts connections, with the addresses
    ///   as they became: a port of 0 is then the real one.
    /// - Throws: `HearthError` `unavailable` if an address cannot be bound.
    package func run(
        onReady: @Sendable ([EmulatorAddress]) async -> Void = { _ in }
    ) async throws {
        try await readFiles()
        let server = EmulatorServer(
            service: FirestoreService(host: host, logger: logger), realtime: realtime,
            helpers: helpers, webGuard: webGuard, logger: logger)
        var listeners: [any Channel] = []
        var bound: [EmulatorAddress] = []
        let failure: HearthError?
        do throws(HearthError) {
            for address in configuration.firestore + configuration.realtime {
                let (listener, became) = try await server.listen(at: address)
                listeners.append(listener)
                bound.append(became)
            }
            failure = nil
        } catch {
            failure = error
        }
        if failure == nil {
            let firestore = bound.prefix(configuration.firestore.count)
            let addresses = firestore.map(\.description).joined(separator: " ")
            logger.notice("emulator ready", metadata: ["firestore": "\(addresses)"])
            await onReady(bound)
            await waitForStop()
        }
        await server.stop(listeners)
        for address in bound { address.removeSocketFile() }
        defer {
            host.close()
            realtime.close()
        }
        if let failure { throw failure }
        try writeFile()
    }

    /// Makes every resume token too old, for tests: targets that resume are then reset, or told how
    /// many documents they should have.
    package func forgetHistory() async throws {
        try await withCheckedThrowingContinuation { continuation in
            host.forgetHistory { continuation.resume(with: $0) }
        }
    }

    /// Ends `run`.
    package func shutdown() {
        stop.continuation.yield()
        stop.continuation.finish()
    }

    /// Brings in what the emulator begins with.
    private func readFiles() async throws {
        let isEmpty = host.databases.allSatisfy { $0.allDocuments.isEmpty }
        for path in (isEmpty ? configuration.seeds : []) + configuration.imports {
            let bytes = try WholeFile.read(path)
            do {
                try await withCheckedThrowingContinuation { continuation in
                    helpers.load(bytes, into: configuration.database) {
                        continuation.resume(with: $0)
                    }
                }
            } catch let error as HearthError {
                throw HearthError(code: error.code, message: "\(path): \(error.message)")
            }
        }
    }

    /// Writes what is left at the end, if asked.
    private func writeFile() throws(HearthError) {
        guard let path = configuration.exportPath else { return }
        let views = host.databases
        guard path.hasSuffix(".bundle") else {
            let json = try DataFile.json(of: views.map { ($0.database, $0.allDocuments) })
            return try WholeFile.write(json, to: path)
        }
        guard views.count <= 1 else {
            throw HearthError(
                code: .failedPrecondition,
                message: "A bundle holds one database, and there are \(views.count); export to a "
                    + "file that ends in .json.")
        }
        let bytes = DataFile.bundle(
            of: views.first?.allDocuments ?? [],
            in: views.first?.database ?? configuration.database, id: "export",
            readAt: views.first?.moment ?? .zero)
        try WholeFile.write(bytes, to: path)
    }

    /// Returns when the task is cancelled or somebody wishes to stop.
    private func waitForStop() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [host] in
                while (try? await Task.sleep(for: Self.heartbeatInterval)) != nil {
                    host.heartbeat()
                }
            }
            group.addTask { [stop] in
                for await _ in stop.stream { return }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
