import Dispatch
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
        var listeners: [any SocketListener] = []
        /// The port of the loopback interface where the gateway listens.
        var loopbackAddress: LoopbackAddress?
        /// The next attempt of each socket that could not be used.
        var retries: [String: Scheduled<Void>] = [:]
        /// Opens the databases that have a queue, then closes unused databases until cancelled.
        var keeping: Task<Void, Never>?
        var isStopping = false
        /// The configuration as the server last read the files.
        var configuration: ServerConfiguration
        /// Who pays for whose writes, as the engines know it.
        var owners = SubordinateRanges()
        /// The number of the stores, which a restore changes; 0 if there is none.
        var storeGeneration: UInt64 = 0
        /// Who may do what if there are no rules.
        var standardAccess: AccessPolicy?
    }

    let configuration: ServerConfiguration
    let logger: Logger
    let group: MultiThreadedEventLoopGroup
    let registry: SessionRegistry
    let engines: EngineRegistry
    let signIn: (any SignInService)?
    /// The time that each user has taken of the event loops.
    let shares = LoopShareTable()
    /// Where the connections of users wait who have taken too much.
    let doorstep: Doorstep
    /// Where new connections wait until a loop has time for them.
    let queues = LoopQueues()
    /// Sends the descriptors of memory files to programs.
    let descriptors = DescriptorPassage()
    /// Reads clients' large frames.
    let largeFrames = FairQueue(on: DispatchQueue(label: "hearth.frames"), part: 0.8)
    /// The parts that sessions of any protocol are made of.
    let parts: SessionParts
    /// Serves the programs that speak with the gateway; `nil` for a daemon without a gateway.
    let gateway: (any GatewayAdmission)?
    let running: Mutex<Running>
    let settings: LiveSettings
    let keeping: KeepingDesk
    let pinning: PinDesk
    /// Makes backups for administrators.
    let backups: BackupDesk
    /// Tells whenever a program gets a memory file: `pulse` must be called until nobody has one.
    package let sharingBegan: AsyncStream<Void>
    let noteSharing: AsyncStream<Void>.Continuation
    let logThreshold: LogThreshold

    /// How the daemon is.
    package let reporter: StatusReporter

    /// Joins the parts. Nothing runs yet.
    ///
    /// - Parameters:
    ///   - configuration: The configuration at the start; a reload changes a part of it.
    ///   - logger: The journal.
    ///   - logThreshold: What a reload of `log.level` changes.
    ///   - signIn: Who signs users in; `nil` if nobody can.
    ///   - makers: What makes the engines of both kinds.
    ///   - gateway: Makes the gateway of the server's parts; `nil` for no gateway.
    package init(
        configuration: ServerConfiguration, logger: Logger,
        logThreshold: LogThreshold = LogThreshold(.info), signIn: (any SignInService)? = nil,
        makers: EngineMakers,
        gateway: ((SessionParts) -> any GatewayAdmission)? = nil
    ) {
        self.logThreshold = logThreshold
        self.signIn = signIn
        doorstep = Doorstep(shares)
        (sharingBegan, noteSharing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.configuration = configuration
        running = Mutex(Running(configuration: configuration))
        self.logger = logger
        group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.loopCount)
        let settings = LiveSettings(
            LiveSettings.Values(configuration, access: .closed))
        self.settings = settings
        let keeping = KeepingDesk(
            settings, standard: configuration.instance, folder: configuration.storeFolder)
        self.keeping = keeping
        let pinning = PinDesk(
            settings, standard: configuration.database, folder: configuration.storeFolder)
        self.pinning = pinning
        let registry = SessionRegistry(logger: logger)
        self.registry = registry
        engines = EngineRegistry(limits: configuration.engineLimits) { key in
            let journal = Journal(logger: logger, key: key, throttle: registry.throttle)
            switch key {
            case .firestore(let database):
                let outlet = SessionOutlet(firestore: key, registry, journal)
                let engine = makers.firestore(database, outlet)
                pinning.tell(database) { engine.service.pin($0, answering: nil) }
                return engine
            case .realtime(let instance):
                let outlet = SessionOutlet(realtime: key, registry, journal)
                return makers.realtime(instance, keeping.targets(in: instance), outlet)
            }
        }
        reporter = StatusReporter(
            constants: StatusReporter.Constants(
                daemonVersion: Self.version,
                setups: DaemonSetups(configuration),
                user: configuration.user),
            registry: registry, engines: engines,
            keptPlaceCount: { keeping.targets(in: $0).count })
        backups = BackupDesk(
            engines, settings, folder: configuration.storeFolder, daemonVersion: Self.version,
            logger: logger)
        parts = SessionParts(
            registry: registry, engines: engines, settings: settings, shares: shares,
            directory: configuration.directory, logger: logger)
        self.gateway = gateway?(parts)
    }

    /// Starts the default database's engine, then takes clients.
    ///
    /// - Parameter inherited: Listening sockets made by systemd, by name; without one, sockets are
    ///   made where the configuration says.
    package func start(inherited: [String: [Int32]] = [:]) async {
        judgeMemory(configuration)
        // First, so that the daemon charges a database to the person whose writes wait in the
        // database.
        await Self.onThread {
            SubordinateUsers.ofMachine.read(within: SubordinateUsers.startPatience)
        }
        renewOwners()
        await finishRestore()
        await loadPins()  // First, so that the engine is told its pins before any client asks.
        if let key = configuration.engineKey { try? engines.open(key) }
        await loadKeptPlaces()
        keepPlaces()
        await listen("client", inherited["client"], configuration.clientSocket)
        await listen("control", inherited["control"], configuration.controlSocket)
        await listenForGateway(inherited)
        keepDatabases()
    }

    /// Takes no more clients, answers or refuses what runs, and closes the stores.
    package func stop() async {
        let (listeners, keeping) = running.withLock { running in
            running.isStopping = true
            for retry in running.retries.values { retry.cancel() }
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
        queues.close()
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

    /// Returns when every engine and every event loop has shown that it is alive; programs may then
    /// believe their memory files for a while.
    ///
    /// An engine whose store is being brought to a new version needs its time, but not forever.
    package func pulse() async {
        for engine in engines.all.values where !engine.isOpening { await engine.lifecycle.pulse() }
        for loop in group.makeIterator() { try? await loop.submit {}.get() }
        renewSharedReads()
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
