import Hearth

/// A command's way to the daemon.
struct Session {
    /// The database.
    let firestore: Firestore
    /// When the command began to look for the daemon.
    private let begun: ContinuousClock.Instant

    /// How long a daemon that is being started is waited for.
    static let startPatience = Duration.seconds(5)
    private static let startPause = Duration.milliseconds(20)
    /// How long a place at a socket that others crowd is waited for.
    static let placePatience = Duration.seconds(5)

    /// Opens the way to a daemon that may just be being started, and looks first whether anybody
    /// listens, so that nobody waits in vain.
    ///
    /// - Parameters:
    ///   - patience: How long a daemon that takes no connections is waited for.
    ///   - timeout: How long the command may take; `nil` for as long as the daemon answers.
    nonisolated(nonsending) static func whenStarted(
        _ options: ConnectionOptions, patience: Duration = startPatience, timeout: Duration? = nil
    ) async throws(Failure) -> Session {
        let begun = ContinuousClock.now
        let settings = options.settings
        try await awaitDaemon(
            at: settings.socketPath, patience: min(patience, timeout ?? patience))
        return Session(firestore: Firestore(settings: settings), begun: begun)
    }

    /// Waits until somebody listens at a socket.
    ///
    /// - Parameter patience: How long a daemon that takes no connections is waited for.
    nonisolated(nonsending) static func awaitDaemon(
        at socketPath: String, patience: Duration = startPatience
    ) async throws(Failure) {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(Failure) {
                let rest = deadline - ContinuousClock.now
                return try probe(socketPath, patience: min(rest, placePatience))
            } catch {
                guard error.status == .notRunning || error.status == .timedOut,
                    ContinuousClock.now < deadline,
                    (try? await Task.sleep(for: startPause)) != nil
                else { throw error }
            }
        }
    }

    /// Does something with the database, and says how it failed.
    ///
    /// - Parameters:
    ///   - what: What is done, for the message: "Cannot <what>: ...".
    ///   - timeout: How long the command may take, from the opening of the session on; `nil` for as
    ///     long as the daemon answers.
    ///   - followsRestarts: Whether the work goes on, once the daemon has answered, however long
    ///     nobody answers.
    ///   - source: Where it reads; `nil` if it does not.
    ///   - overdue: What has not happened if the time is up, as a sentence without its stop; `nil` for "Cannot
    ///     <what> in the given time".
    nonisolated(nonsending) func attempt<Result: Sendable>(
        _ what: String, timeout: Duration? = nil, followsRestarts: Bool = false,
        reading source: FirestoreSource? = nil, overdue: String? = nil,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws(Failure) -> Result {
        try await Self.attempt(
            what, at: firestore.settings.socketPath,
            timeout: timeout.map { $0 - (ContinuousClock.now - begun) },
            following: followsRestarts ? firestore : nil, reading: source, overdue: overdue, work)
    }

    /// Does something with a database of either kind, and says how it failed.
    ///
    /// A command ends when its time is up, or else once the daemon stands still; see `DaemonVigil`.
    ///
    /// - Parameters:
    ///   - socketPath: Where the daemon listens.
    ///   - timeout: How long the work may take, with the daemon's first answer; `nil` for as long as the daemon
    ///     answers.
    ///   - database: A database whose daemon must answer once, and need not after that; `nil` if the
    ///     daemon must go on answering. The other parameters are as above.
    nonisolated(nonsending) static func attempt<Result: Sendable>(
        _ what: String, at socketPath: String, timeout: Duration? = nil,
        following database: (any DaemonDatabase)? = nil, reading source: FirestoreSource? = nil,
        overdue: String? = nil, _ work: @escaping @Sendable () async throws -> Result
    ) async throws(Failure) -> Result {
        do {
            guard let database else {
                return try await DaemonVigil.attend(at: socketPath, timeout: timeout, work)
            }
            let begun = ContinuousClock.now
            try await DaemonVigil.attend(at: socketPath, timeout: timeout) {
                try await DaemonVigil.hear(database)
            }
            let rest = timeout.map { $0 - (ContinuousClock.now - begun) }
            return try await TimeLimit.keep(rest, work)
        } catch let failure as Failure {
            throw failure
        } catch let silence as DaemonVigil.Silence {
            throw silence.failure(doing: what)
        } catch let error as FirestoreError {
            try checkPresence(at: socketPath)
            throw Failure(error, doing: what, reading: source)
        } catch let error as DatabaseError {
            try checkPresence(at: socketPath)
            throw Failure(FirestoreError(error), doing: what, reading: source)
        } catch is TimeLimit.Passed {
            throw Failure(
                .timedOut,
                (overdue ?? "Cannot \(what) in the given time")
                    + ". It may happen later; \"hearth status\" tells what is in the way.")
        } catch {
            throw Failure(.failed, "Cannot \(what): \(error)".oneLine)
        }
    }

    /// Checks at once that somebody listens at a socket and that the user may connect, whether or not
    /// there is a place.
    ///
    /// - Throws: `Failure`, as `probe` does.
    static func checkPresence(at path: String) throws(Failure) {
        do throws(Failure) {
            try probe(path, patience: .zero)
        } catch {
            if error.status != .timedOut { throw error }
        }
    }

    /// Whether somebody listens at a socket where the user may connect, though there may be no place.
    static func isSomebody(at path: String) -> Bool { (try? checkPresence(at: path)) != nil }

    /// Whether an error leaves it possible that somebody listens at the socket.
    static func mayListen(after error: any Error) -> Bool {
        let status = (error as? Failure)?.status
        return status != .notRunning && status != .noAccess
    }

    /// Tries whether the socket can be connected to.
    ///
    /// - Parameter patience: How long a place is waited for if others have taken all.
    /// - Throws: `Failure` with a status for the obstacle, and a message that names a remedy.
    static func probe(_ path: String, patience: Duration = placePatience) throws(Failure) {
        do throws(UnixSocket.Failure) {
            _ = try UnixSocket.connect(to: path, patience: patience)
        } catch {
            switch error.obstacle {
            case .longPath:
                throw Failure(.usage, "\(path) is no socket of a daemon: \(error).")
            case .denial:
                throw Failure(
                    .noAccess,
                    "You may not use \(path). Members of the group hearth-client may, and root. "
                        + "\"hearth doctor\" says how to join.")
            case .absence:
                throw Failure(
                    .notRunning,
                    "No Hearth daemon answers at \(path). Start it with \"systemctl start "
                        + "hearthd.socket\" or \"hearthd\"; --socket or $HEARTH_SOCKET names another."
                )
            case .crowd:
                throw Failure(
                    .timedOut,
                    "The daemon at \(path) takes no connections: \(error). "
                        + "\"systemctl status hearthd\" says more; \"systemctl restart hearthd\" "
                        + "starts the daemon anew.")
            case .other: return  // The library will tell.
            }
        }
    }
}

extension FirestoreError {
    /// The same failure, as Firestore tells it: the codes are the same.
    fileprivate init(_ error: DatabaseError) {
        self.init(error.code, error.message, mayHaveBeenApplied: error.mayHaveBeenApplied)
    }
}
