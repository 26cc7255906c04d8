import Glibc
import Hearth

/// A command's way to the daemon.
struct Session {
    /// The database.
    let firestore: Firestore

    /// Opens the way, and looks first whether anybody listens, so that nobody waits in vain.
    init(_ options: ConnectionOptions) throws(Failure) {
        let settings = options.settings
        try Self.probe(settings.socketPath)
        firestore = Firestore(settings: settings)
    }

    /// How long a daemon that is being started is waited for.
    static let startPatience = Duration.seconds(5)
    private static let startPause = Duration.milliseconds(20)

    /// Opens the way to a daemon that may just be being started.
    ///
    /// - Parameter patience: How long one that does not answer is waited for.
    nonisolated(nonsending) static func whenStarted(
        _ options: ConnectionOptions, patience: Duration = startPatience
    ) async throws(Failure) -> Session {
        try await awaitDaemon(at: options.settings.socketPath, patience: patience)
        return try Session(options)
    }

    /// Waits until somebody listens at a socket.
    ///
    /// - Parameter patience: How long one that does not answer is waited for.
    nonisolated(nonsending) static func awaitDaemon(
        at socketPath: String, patience: Duration = startPatience
    ) async throws(Failure) {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(Failure) {
                return try probe(socketPath)
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
    ///   - timeout: How long it may take; `nil` for as long as the daemon answers.
    ///   - followsRestarts: Whether it waits for a daemon that does not answer, too.
    ///   - source: Where it reads; `nil` if it does not.
    nonisolated(nonsending) func attempt<Result: Sendable>(
        _ what: String, timeout: Duration? = nil, followsRestarts: Bool = false,
        reading source: FirestoreSource? = nil,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws(Failure) -> Result {
        try await Self.attempt(
            what, at: firestore.settings.socketPath, timeout: timeout,
            followsRestarts: followsRestarts, reading: source, work)
    }

    /// Does something with a database of either kind, and says how it failed.
    ///
    /// - Parameter socketPath: Where the daemon listens; the other parameters are as above.
    nonisolated(nonsending) static func attempt<Result: Sendable>(
        _ what: String, at socketPath: String, timeout: Duration? = nil,
        followsRestarts: Bool = false, reading source: FirestoreSource? = nil,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws(Failure) -> Result {
        do {
            guard timeout == nil, !followsRestarts else { return try await limit(timeout, work) }
            return try await DaemonVigil.attend(at: socketPath, work)
        } catch let failure as Failure {
            throw failure
        } catch let silence as DaemonVigil.Silence {
            throw silence.failure(doing: what)
        } catch let error as FirestoreError {
            try probe(socketPath)
            throw Failure(error, doing: what, reading: source)
        } catch let error as DatabaseError {
            try probe(socketPath)
            throw Failure(FirestoreError(error), doing: what, reading: source)
        } catch is TimeIsUp {
            throw Failure(
                .timedOut,
                "Cannot \(what) in the given time. It may happen later; \"hearth status\" tells what "
                    + "is in the way.")
        } catch {
            throw Failure(.failed, "Cannot \(what): \(error)".oneLine)
        }
    }

    /// A limit of time has passed.
    struct TimeIsUp: Error {}

    /// Does something, at most so long; `nil` is as long as it takes.
    static func limit<Result: Sendable>(
        _ timeout: Duration?, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let timeout else { return try await work() }
        return try await race(work) {
            try await Task.sleep(for: timeout)
            throw TimeIsUp()
        }
    }

    /// Does something until `obstacle` throws.
    ///
    /// - Throws: The error of whichever ends first. Work that goes on though it is cancelled is not waited for.
    static func race<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result,
        against obstacle: @escaping @Sendable () async throws -> Void
    ) async throws -> Result {
        let (results, end) = AsyncStream.makeStream(
            of: Swift.Result<Result, any Error>.self, bufferingPolicy: .bufferingOldest(1))
        let working = Task {
            do { end.yield(.success(try await work())) } catch { end.yield(.failure(error)) }
        }
        let watching = Task {
            do { try await obstacle() } catch { end.yield(.failure(error)) }
        }
        defer {
            working.cancel()
            watching.cancel()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }

    /// Tries whether the socket can be connected to.
    ///
    /// - Throws: `Failure` with a status for the obstacle, and a message that names a remedy.
    static func probe(_ path: String) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else {
            throw Failure(
                .usage, "The socket's path is longer than \(capacity - 1) bytes: \(path).")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }  // The library will tell.
        defer { close(descriptor) }
        // Others may take the places of the socket for moments. A daemon that stands still never has room.
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result != 0 else { return }
        switch errno {
        case EACCES, EPERM:
            throw Failure(
                .noAccess,
                "You may not use \(path). Members of the group hearth-client may, and root.")
        case ENOENT, ECONNREFUSED, ENOTDIR:
            throw Failure(
                .notRunning,
                "No Hearth daemon answers at \(path). Start it with \"systemctl start "
                    + "hearthd.socket\" or \"hearthd\"; --socket or $HEARTH_SOCKET names another.")
        case EAGAIN:
            throw Failure(
                .timedOut,
                "The daemon at \(path) takes no connections: as many as there may be wait already. "
                    + "\"systemctl status hearthd\" says more; \"systemctl restart hearthd\" starts the "
                    + "daemon anew.")
        default:
            return
        }
    }
}

extension FirestoreError {
    /// The same failure, as Firestore tells it: the codes are the same.
    fileprivate init(_ error: DatabaseError) {
        self.init(error.code, error.message, mayHaveBeenApplied: error.mayHaveBeenApplied)
    }
}
