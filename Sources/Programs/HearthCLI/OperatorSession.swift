import Hearth

/// A command's way to a daemon that it looks after, through a database of either kind.
struct OperatorSession {
    /// The database that is meant. If none was named: the daemon's own Firestore database, or its
    /// own instance of the Realtime Database if the daemon has no other.
    let database: any OperatedDatabase
    private let options: OperatorOptions

    /// Opens the way.
    ///
    /// - Parameters:
    ///   - patience: How long a daemon that takes no connections is waited for; `nil` for no longer
    ///     than others may crowd its socket.
    ///   - timeout: How long the opening may take; `nil` for as long as the daemon answers.
    nonisolated(nonsending) static func open(
        _ options: OperatorOptions, patience: Duration? = nil, timeout: Duration? = nil
    ) async throws(Failure) -> OperatorSession {
        let begun = ContinuousClock.now
        if let patience {
            try await Session.awaitDaemon(at: options.socketPath, patience: patience)
        } else {
            let patience = min(timeout ?? Session.placePatience, Session.placePatience)
            try Session.probe(options.socketPath, patience: patience)
        }
        let rest = timeout.map { $0 - (ContinuousClock.now - begun) }
        return OperatorSession(
            database: try await Self.database(of: options, within: rest), options: options)
    }

    private nonisolated(nonsending) static func database(
        of options: OperatorOptions, within timeout: Duration?
    ) async throws(Failure) -> any OperatedDatabase {
        let named = options.database
        guard !options.namesOne else { return named }
        let begun = ContinuousClock.now
        do {
            _ = try await status(of: named, options, within: timeout)
        } catch let error as FirestoreError where error.code == .failedPrecondition {
            let instance = options.instance
            let rest = timeout.map { $0 - (ContinuousClock.now - begun) }
            let status = try? await status(of: instance, options, within: rest)
            if status != nil { return instance }
        } catch let silence as DaemonVigil.Silence {
            throw silence.failure(doing: "ask which databases there are")
        } catch {
            return named  // What the command asks then fails too, and tells why.
        }
        return named
    }

    private nonisolated(nonsending) static func status(
        of database: any OperatedDatabase, _ options: OperatorOptions, within timeout: Duration?
    ) async throws -> DaemonStatus {
        try await DaemonVigil.attend(at: options.socketPath, timeout: timeout) {
            try await database.daemonStatus()
        }
    }

    /// Does something with the daemon, and says how it failed; see `Session.attempt`.
    nonisolated(nonsending) func attempt<Result: Sendable>(
        _ what: String, timeout: Duration? = nil, overdue: String? = nil,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws(Failure) -> Result {
        try await Session.attempt(
            what, at: options.socketPath, timeout: timeout, overdue: overdue, work)
    }

    /// How the named database is; every open one, if none was named.
    func statuses() async throws -> [DaemonStatus] {
        options.namesOne
            ? [try await database.daemonStatus()] : try await database.daemonDatabases()
    }

    /// Tells how the named database is, or every open one if none was named: now, and whenever that
    /// changes. Returns when the task is cancelled.
    ///
    /// - Parameter tell: Called with `nil` while no daemon answers, and with nothing while what is meant is
    ///   being opened.
    func follow(
        every pause: Duration?, _ tell: @Sendable ([DaemonStatus]?) -> Void
    ) async throws {
        var name: String?
        for await news in database.daemonChanges(every: pause) {
            let statuses = try? news.get()
            if options.namesOne, name == nil, statuses?.isEmpty == false {
                name = try await database.daemonStatus().name
            }
            tell(statuses?.filter { name == nil || $0.name == name })
        }
    }

    /// The named database; every open one, if none was named.
    func databases() async throws -> [any OperatedDatabase] {
        options.namesOne
            ? [database] : try await database.daemonDatabases().map(options.database(of:))
    }
}
