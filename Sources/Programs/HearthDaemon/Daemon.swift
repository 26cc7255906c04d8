import Glibc
import HearthFirestore
import HearthGateway
import HearthModel
import HearthSQLite
import HearthServer
import Logging

/// The parts of `hearthd` joined, from the first log line to the last.
struct Daemon: Sendable {
    private var configuration: ServerConfiguration
    private let problems: [ConfigurationProblem]
    /// Why there is no default database, if there is none.
    private let missingProject: String?
    private let logger: Logger
    private let logThreshold: LogThreshold
    private let readConfiguration: HearthServer.ReadConfiguration

    /// Joins the parts as configured.
    ///
    /// - Parameters:
    ///   - missingProject: Why there is no default database, if there is none.
    ///   - readConfiguration: Reads the configuration again.
    init(
        configuration: ServerConfiguration, problems: [ConfigurationProblem],
        missingProject: String? = nil,
        readConfiguration: @escaping HearthServer.ReadConfiguration
    ) {
        self.missingProject = missingProject
        self.configuration = configuration
        self.readConfiguration = readConfiguration
        self.problems = problems
        logThreshold = LogThreshold(configuration.logLevel)
        logger = Self.logger(threshold: logThreshold)
    }

    /// Runs until SIGTERM or SIGINT. What is wrong around us is told, and no reason to end.
    func run() async {
        let inherited = SocketActivation.takeDescriptors()
        var daemon = self
        let loop = daemon.configuration.refuseOwnGateway(
            GatewayPlaces(configuration.gateway, inherited: inherited))
        await daemon.run(inherited, notConnectedSince: loop)
    }

    /// Runs with listening sockets made by systemd.
    ///
    /// - Parameter loop: Why the daemon connects with no backend, if the backend is the daemon.
    private func run(
        _ inherited: [String: [Int32]], notConnectedSince loop: String?
    ) async {
        let signals = Signals()
        for problem in problems {
            logger.record(.configurationRead, [.reason: problem.description], level: .error)
        }
        logUpstream()
        let upstream = Upstream(configuration, logger: logger)
        var configuration = configuration
        configuration.user = upstream.user
        let server = HearthServer(
            configuration: configuration, logger: logger, logThreshold: logThreshold,
            signIn: upstream.signInDesk,
            makers: Self.makers(configuration, upstream), gateway: { Gateway($0) })
        if let loop {
            logger.error("upstream refused", metadata: ["reason": "\(loop)"])
            server.reporter.setReason(loop, for: "upstream")
        }
        if !problems.isEmpty {
            server.reporter.setReason(
                problems.map(\.description).joined(separator: " "), for: "configuration")
        }
        if let missingProject {
            logger.error("no default database", metadata: ["reason": "\(missingProject)"])
            server.reporter.setReason(missingProject, for: "project")
        }
        server.enableReload(readConfiguration)
        upstream.start(server)
        await server.start(inherited: inherited)
        await waitForOpening(server)
        logger.record(.started, [.version: HearthServer.version])
        if ServiceNotifier.isHeard { ServiceNotifier.ready(status: server.reporter.line) }
        SpareMemory.beginReturning()
        let watching = Task { await keepTelling(server) }
        let reloading = Task {
            for await _ in signals.hangups { server.reporter.reloadLater() }
        }
        let reconnecting = Task { await NetworkWatch()?.run { server.networkReturned() } }
        await signals.stopRequested()
        watching.cancel()
        reloading.cancel()
        reconnecting.cancel()
        logger.record(.stopping)
        ServiceNotifier.stopping()
        await server.stop()
        logger.notice("stopped")
    }

    /// How engines are made as configured, and connected.
    static func makers(
        _ configuration: ServerConfiguration, _ upstream: Upstream
    ) -> EngineMakers {
        let (surveys, writes) = (SharedSurveyMemory(), SharedWriteMemory())
        return EngineMakers { database, outlet in
            let route = upstream.route(of: database)
            return FirestoreAssembly(
                configuration: configuration, outlet: outlet, memory: surveys
            ).start(database, door: route.door, connect: route.connect)
        } realtime: { instance, kept, outlet in
            RealtimeAssembly(configuration: configuration, outlet: outlet, memory: writes)
                .start(instance, keeping: kept, door: upstream.door(of: instance)) {
                    upstream.connect(instance, $0)
                }
        }
    }

    private func logUpstream() {
        logUpstream(
            "upstream chosen", at: configuration.upstreamAddress,
            emulator: configuration.emulator, by: configuration.upstreamOrigin)
        warn(
            Surroundings.emulatorVariable, Self.surroundings.emulator,
            overruledBy: configuration.upstreamOrigin, configuration.emulator)
        let realtime = configuration.realtime
        if let instance = configuration.instance {
            logUpstream(
                "instance chosen", at: instance.description, emulator: realtime.emulator,
                by: realtime.upstreamOrigin)
        }
        warn(
            Surroundings.realtimeEmulatorVariable, Self.surroundings.realtimeEmulator,
            overruledBy: realtime.upstreamOrigin, realtime.emulator)
    }

    private func logUpstream(
        _ message: Logger.Message, at address: String, emulator: String?, by origin: String
    ) {
        logger.notice(
            message,
            metadata: [
                "address": "\(emulator ?? address)", "by": "\(origin)",
                "kind": emulator == nil ? "backend" : "emulator",
            ])
    }

    /// Tells that an emulator which the environment names does not count.
    private func warn(
        _ variable: String, _ named: String?, overruledBy origin: String, _ chosen: String?
    ) {
        guard let named, named != chosen else { return }
        logger.warning(
            "environment overruled",
            metadata: ["variable": "\(variable)", "value": "\(named)", "by": "\(origin)"])
    }

    /// Waits for the default database, and asks for time while it is brought to a new version.
    private func waitForOpening(_ server: HearthServer) async {
        let asking = Task {
            guard ServiceNotifier.isHeard else { return }
            let begin = ContinuousClock.now
            while !Task.isCancelled, .now - begin < HostLimits.openingTimeMax {
                ServiceNotifier.extendStart(by: .seconds(60), status: "opening the database")
                try? await Task.sleep(for: .seconds(10))
            }
        }
        await server.opened()
        asking.cancel()
    }

    /// Keeps systemd's status line true, and its watchdog quiet as long as nothing hangs. Programs with
    /// memory files hear of it too, and the figures of the last hour are kept by the way.
    ///
    /// If nobody listens, only the figures of the last hour are kept, once in a step, and programs with memory
    /// files hear that the daemon lives.
    private func keepTelling(_ server: HearthServer) async {
        let pause = min(.seconds(5), (ServiceNotifier.watchdogPeriod ?? .seconds(60)) / 3)
        guard ServiceNotifier.isHeard else {
            async let hour: Void = Self.keepHour(server)
            for await _ in server.sharingBegan {
                while !Task.isCancelled, server.hasSharedReads {
                    await server.pulse()
                    try? await Task.sleep(for: pause)
                }
            }
            return await hour
        }
        var last = ""
        while !Task.isCancelled {
            let line = server.reporter.line
            if line != last { ServiceNotifier.status(line) }
            last = line
            server.reporter.noteHour()
            await server.pulse()
            ServiceNotifier.alive()
            try? await Task.sleep(for: pause)
        }
    }

    /// Keeps the figures of the last hour, with one look in a step.
    private static func keepHour(_ server: HearthServer) async {
        while !Task.isCancelled {
            server.reporter.noteHour()
            try? await Task.sleep(for: StatusReporter.hourStep)
        }
    }
}

extension Daemon {
    /// What the process finds around it.
    static var surroundings: Surroundings {
        Surroundings(environment: environment, isRoot: geteuid() == 0)
    }

    /// A logger that writes into the journal if standard error goes there, else lines.
    static func logger(threshold: LogThreshold) -> Logger {
        let isJournal = LogLines.standardErrorIsJournal(environment["JOURNAL_STREAM"])
        return Logger(label: "hearthd") { label in
            isJournal
                ? JournalHandler(threshold: threshold) as any LogHandler
                : LogLines(label: label, threshold: threshold)
        }
    }

    private static var environment: [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                result[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return result
    }
}
