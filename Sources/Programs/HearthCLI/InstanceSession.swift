import Hearth

/// A command's way to an instance of the Realtime Database.
struct InstanceSession {
    /// The instance.
    let database: Database
    private let socketPath: String
    /// When the command began to look for the daemon.
    private let begun: ContinuousClock.Instant

    /// Opens the way to a daemon that may just be being started.
    ///
    /// - Parameter timeout: How long the command may take; `nil` for as long as the daemon answers.
    nonisolated(nonsending) static func whenStarted(
        _ options: InstanceOptions, timeout: Duration? = nil
    ) async throws(Failure) -> InstanceSession {
        let begun = ContinuousClock.now
        let settings = options.settings
        try await Session.awaitDaemon(
            at: settings.socketPath,
            patience: min(Session.startPatience, timeout ?? Session.startPatience))
        return InstanceSession(
            database: Database(settings: settings), socketPath: settings.socketPath, begun: begun)
    }

    /// A place of the database.
    func reference(_ path: String) throws(Failure) -> DatabaseReference {
        do throws(DatabaseError) {
            return try database.validatedReference(withPath: path)
        } catch {
            throw Failure(.usage, "\(error.message)".oneLine)
        }
    }

    /// Checks that every write of a plan can be made.
    func check(_ plan: NodeImportPlan, at reference: DatabaseReference) throws(Failure) {
        for case .update(let values) in plan.writes {
            let update = try values.treeUpdate()
            do throws(DatabaseError) {
                try reference.checkUpdate(update)
            } catch {
                throw Failure(.usage, error.message.oneLine)
            }
        }
    }

    /// Does something with the instance, and says how it failed; see `Session.attempt`.
    nonisolated(nonsending) func attempt<Result: Sendable>(
        _ what: String, timeout: Duration? = nil, followsRestarts: Bool = false,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws(Failure) -> Result {
        try await Session.attempt(
            what, at: socketPath, timeout: timeout.map { $0 - (ContinuousClock.now - begun) },
            following: followsRestarts ? database : nil, work)
    }

    /// Writes, waits as long as wanted, and says how far the write came.
    nonisolated(nonsending) func write(
        _ path: String, _ options: StageOptions, _ instance: InstanceOptions,
        _ work: @escaping @Sendable (WriteStage) async throws -> DatabaseReceipt
    ) async throws(Failure) {
        let stage = options.until.stage
        let batch = try await attempt("write \(path)", timeout: options.timeout?.duration) {
            try await work(stage).accepted()
        }
        if instance.json {
            Terminal.print(
                Report().with("path", path).with("state", "\(stage)").with("batch", Int(batch))
                    .line)
        } else if !instance.quiet {
            Terminal.print("\(stage) \(path)")
        }
    }
}
