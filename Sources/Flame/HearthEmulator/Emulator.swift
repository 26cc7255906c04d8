import HearthBackend
package import HearthModel
import HearthProtocol
package import Logging
import NIOCore

/// The emulator as a process: `HearthBackend` behind gRPC and REST.
///
/// The emulator keeps its data in a folder if the configuration names one.
///
/// The emulator believes every caller, as emulators do, and answers any database of any project. If
/// a project has rules, the rules bind every caller but the admin.
package final class Emulator: Sendable {
    /// How often quiet streams get a fresh token.
    static let heartbeatInterval = Duration.seconds(30)

    /// The faults that tests ask for.
    package let faults = FaultTable()

    /// Reads the bodies of requests by REST.
    let bodies = BodyQueue()

    private let configuration: EmulatorConfiguration
    private let logger: Logger
    private let host: BackendHost
    private let realtime: RealtimeHost
    private let helpers: HelperEndpoints
    private let requests: RequestLog?
    private let webGuard: WebGuard
    private let stop = AsyncStream.makeStream(of: Void.self)

    /// Opens the folder and reads the folder's documents, trees and rules.
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
        requests = configuration.keepsRequests ? RequestLog() : nil
        if requests != nil { host.keepVerdicts() }
        let nodes = try configuration.dataFolder.map { folder throws(HearthError) in
            try RealtimeKeeper(folder: folder)
        }
        realtime = try RealtimeHost(
            keeper: nodes, clock: host.clock, limits: configuration.realtimeLimits, log: requests)
        helpers = HelperEndpoints(host: host, faults: faults, files: files)
        host.clock.move(to: configuration.clockStep)
        for text in configuration.faults { faults.inject(try FaultWish.fault(text)) }
    }

    /// Gives a project its rules, from now on and while the process lasts.
    ///
    /// Rules that a client set by a project's endpoint stay the project's own, and the folder keeps
    /// them.
    ///
    /// - Parameters:
    ///   - source: The rules, in the language of `service cloud.firestore`.
    ///   - project: The project; `nil` for every project without rules of its own.
    /// - Throws: `HearthError` `invalidArgument` with line and column; the rules stay as they were.
    package func setRules(_ source: String, project: String? = nil) throws(HearthError) {
        try host.setRules(source, project: project)
    }

    /// What a console may see and do; `nil` unless the configuration keeps requests.
    package var desk: EmulatorDesk? {
        requests.map {
            EmulatorDesk(
                host: host, realtime: realtime, requests: $0, database: configuration.database)
        }
    }

    /// Serves until the task is cancelled or `shutdown` is called.
    ///
    /// - Parameter onReady: Called once, when every address accepts connections, with the real
    ///   addresses: the port that the system chose replaces a port of 0.
    /// - Throws: `HearthError`: `unavailable` if an address cannot be bound, or the error of a file
    ///   that cannot be loaded or written.
    package func run(
        onReady: @Sendable ([EmulatorAddress]) async -> Void = { _ in }
    ) async throws {
        let files = EmulatorFiles(
            configuration: configuration, host: host, realtime: realtime, helpers: helpers)
        try await files.load()
        let server = EmulatorServer(
            service: FirestoreService(host: host, logger: logger, log: requests),
            realtime: (realtime, configuration.realtimeTimes), helpers: helpers,
            webGuard: webGuard, bodies: bodies, logger: logger)
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
        try files.export()
    }

    /// Makes every resume token too old, for tests.
    ///
    /// The backend then resets resuming targets, or sends the count of their documents.
    ///
    /// - Throws: `HearthError` if the folder cannot be written.
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

    /// Returns when the task is cancelled or `shutdown` is called.
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
