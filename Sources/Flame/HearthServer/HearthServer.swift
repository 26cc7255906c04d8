package import HearthEngine
package import HearthModel
import HearthWire
package import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The daemon without its edges: sockets, sessions and engines, joined.
///
///     socket > SessionHandler > EngineHost > store, upstream
///            < Outbox < SessionRegistry <
///
/// Does not give up over its surroundings: what cannot be done is told in the status, and tried
/// again.
package final class HearthServer: Sendable {
    /// The version that clients and operators are told.
    package static let version = "0.1.0"

    struct Running {
        var listeners: [UnixListener] = []
        var retry: Scheduled<Void>?
        /// Opens the databases that have a queue, then closes unused databases until cancelled.
        var keeping: Task<Void, Never>?
        var isStopping = false
        /// The configuration as the server last read the files.
        var configuration: ServerConfiguration
        /// Who may do what if there are no rules.
        var standardAccess: AccessPolicy?
    }

    let configuration: ServerConfiguration
    let logger: Logger
    private let group: MultiThreadedEventLoopGroup
    let registry: SessionRegistry
    let engines: EngineRegistry
    private let signIn: (any SignInService)?
    let running: Mutex<Running>
    let settings: LiveSettings
    let logThreshold: LogThreshold

    /// How the daemon is.
    package let reporter: StatusReporter

    /// Joins the parts. Nothing runs yet.
    ///
    /// - Parameters:
    ///   - logThreshold: What a reload of `log.level` changes.
    ///   - signIn: Who signs users in; `nil` if nobody can.
    package init(
        configuration: ServerConfiguration, logger: Logger,
        logThreshold: LogThreshold = LogThreshold(.info), signIn: (any SignInService)? = nil,
        makers: EngineMakers
    ) {
        self.logThreshold = logThreshold
        self.signIn = signIn
        self.configuration = configuration
        running = Mutex(Running(configuration: configuration))
        self.logger = logger
        group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.loopCount)
        let settings = LiveSettings(
            LiveSettings.Values(
                access: configuration.access ?? .closed, limits: configuration.limits,
                keep: configuration.realtime.keep))
        self.settings = settings
        let registry = SessionRegistry(logger: logger)
        self.registry = registry
        engines = EngineRegistry(limits: configuration.engineLimits) { key in
            let journal = Journal(logger: logger, key: key)
            switch key {
            case .firestore(let database):
                let outlet = SessionOutlet(firestore: key, registry, journal)
                return makers.firestore(database, outlet)
            case .realtime(let instance):
                let kept = instance == configuration.instance ? settings.values.keep : []
                let outlet = SessionOutlet(realtime: key, registry, journal)
                return makers.realtime(instance, kept, outlet)
            }
        }
        reporter = StatusReporter(
            constants: StatusReporter.Constants(
                daemonVersion: Self.version,
                setups: DaemonSetups(configuration),
                user: configuration.user),
            registry: registry, engines: engines)
    }

    /// Starts the default database's engine, then takes clients.
    ///
    /// - Parameter inherited: Listening sockets made by systemd, by name; without one, sockets are
    ///   made where the configuration says.
    package func start(inherited: [String: [Int32]] = [:]) async {
        judgeMemory(configuration)
        if let key = configuration.engineKey { try? engines.open(key) }
        keepPlaces()
        await listen("client", inherited["client"], configuration.clientSocket)
        await listen("control", inherited["control"], configuration.controlSocket)
        keepDatabases()
    }

    /// Takes no more clients, answers or refuses what runs, and closes the stores.
    package func stop() async {
        let (listeners, keeping) = running.withLock { running in
            running.isStopping = true
            running.retry?.cancel()
            running.keeping?.cancel()
            return (running.listeners, running.keeping)
        }
        for listener in listeners { await listener.stop() }
        await keeping?.value
        await engines.closeAll()
        registry.endAll(.shuttingDown)
        let deadline = ContinuousClock.now + .seconds(2)
        while registry.count > 0, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(5))
        }
        try? await group.shutdownGracefully()
    }

    /// Another Firebase user signed in, or nobody: queues and overlays are theirs from now on.
    ///
    /// What waits of the user before stays on disk, until they sign in again.
    package func changeUser(to user: UserID) {
        reporter.setUser(user)
        engines.changeUser(to: user)
        logger.notice("user changed", metadata: ["user": "\(user)"])
    }

    /// The machine has a network again, or another one: whoever waits for the backend tries at once.
    package func networkReturned() {
        logger.debug("network returned")
        engines.networkReturned()
    }

    /// Returns when the default database has been opened, or could not be.
    package func opened() async {
        guard let key = configuration.engineKey, let engine = engines.engine(of: key) else {
            return
        }
        await withCheckedContinuation { continuation in
            engine.lifecycle.whenOpened { continuation.resume() }
        }
    }

    /// Returns when every engine and every event loop has shown that it is alive.
    ///
    /// An engine whose store is being brought to a new version needs its time, but not forever.
    package func pulse() async {
        for engine in engines.all.values where !engine.isOpening { await engine.lifecycle.pulse() }
        for loop in group.makeIterator() { try? await loop.submit {}.get() }
    }

    // MARK: Sockets

    private func listen(
        _ name: String, _ inherited: [Int32]?, _ socket: ServerConfiguration.Socket
    ) async {
        if let inherited {
            for descriptor in inherited { await start(name, descriptor, nil) }
            return
        }
        guard let path = socket.path else {
            reporter.setReason(
                "There is no place for the \(name) socket. Set sockets.\(name).", for: name)
            return
        }
        do throws(HearthError) {
            let (file, descriptor) = try SocketFile.bind(path: path, mode: socket.mode)
            await start(name, descriptor, file)
        } catch {
            reporter.setReason(error.message, for: name)
            logger.error("socket failed", metadata: ["socket": "\(name)", "reason": "\(error)"])
            listenLater(name, socket)
        }
    }

    private func listenLater(_ name: String, _ socket: ServerConfiguration.Socket) {
        let retry = group.next().scheduleTask(in: .seconds(5)) {
            Task { await self.listen(name, nil, socket) }
            return
        }
        running.withLock { running in
            running.retry = retry
            if running.isStopping { retry.cancel() }
        }
    }

    private func start(_ name: String, _ descriptor: Int32, _ file: SocketFile?) async {
        if name == "client" { noteClientSocket(file?.path ?? SocketFile.path(of: descriptor)) }
        do {
            let sessions = sessions(isControl: name == "control")
            let listener = try await UnixListener.start(
                descriptor: descriptor, file: file, group: group
            ) { try UnixListener.admit($0, $1, sessions) }
            running.withLock { $0.listeners.append(listener) }
            reporter.setReason(nil, for: name)
            logger.notice(
                "listening",
                metadata: ["socket": "\(name)", "path": "\(file?.path ?? "systemd's")"])
        } catch {
            reporter.setReason("The \(name) socket cannot be used: \(error).", for: name)
            logger.error("socket failed", metadata: ["socket": "\(name)", "reason": "\(error)"])
        }
    }

    private func sessions(isControl: Bool) -> UnixListener.Sessions {
        UnixListener.Sessions(
            directory: configuration.directory, settings: settings,
            daemonVersion: Self.version,
            setups: DaemonSetups(configuration),
            services: SessionHandler.Services(
                registry: registry, engines: engines, reporter: reporter, signIn: signIn,
                farewellTimeMax: .seconds(2)),
            isControl: isControl)
    }

    /// Without access rules, whom the client socket lets in reads and writes.
    private func noteClientSocket(_ path: String?) {
        let standard = path.flatMap(SocketFile.permissions).map {
            AccessPolicy.standard(group: $0.group, mode: $0.mode)
        }
        running.withLock { $0.standardAccess = standard }
        guard running.withLock({ $0.configuration.access }) == nil, let standard else { return }
        registry.reconfigure(settings.change { $0.access = standard })
    }
}

extension ServerConfiguration {
    /// The engine of the default database, if there is one.
    package var engineKey: EngineKey? { database.map(EngineKey.firestore) }

    /// How many databases there may be.
    var engineLimits: EngineRegistry.Limits {
        EngineRegistry.Limits(
            countMax: databaseCountMax, uidCountMax: limits.uidDatabaseCountMax)
    }
}
