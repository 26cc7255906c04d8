import Hearth

/// Notices a daemon that stands still, as a stopped process does: the daemon keeps its sockets, takes
/// connections, and answers nobody.
///
/// A command that takes long is no sign of that: the backend may be slow, or the reader of the
/// command's output. So the vigil asks the daemon a question of its own, on its own connection.
struct DaemonVigil {
    /// How long a command may take before anybody wonders.
    private static let quietTime = Duration.seconds(10)
    /// How long the daemon may take to answer the question.
    private static let answerTime = Duration.seconds(10)
    /// How long the daemon may take to answer once more.
    private static let lastAnswerTime = Duration.seconds(2)
    /// How long a command waits for a connection: long enough that the vigil tells of a daemon that takes
    /// connections and does not greet.
    static let connectTimeout = Duration.seconds(25)

    /// The daemon has answered nobody for `quietTime` and `answerTime`.
    struct Silence: Error {
        /// The daemon's socket.
        let socketPath: String

        /// How a command fails that wanted to do `what`.
        func failure(doing what: String) -> Failure {
            let seconds = (quietTime + answerTime).components.seconds
            return Failure(
                .timedOut,
                "Cannot \(what): the daemon at \(socketPath) has not answered for \(seconds) s, and may "
                    + "stand still. What was asked may happen later. \"systemctl status hearthd\" says "
                    + "more; \"systemctl restart hearthd\" starts the daemon anew.")
        }
    }

    private let socketPath: String

    /// Does something for as long as the daemon answers, and at most so long.
    ///
    /// - Parameter timeout: How long the work may take; `nil` for as long as the daemon answers.
    /// - Throws: `Silence`, `TimeLimit.Passed`, or the error of `work`. Work that goes on though it is
    ///   cancelled is not waited for.
    static func attend<Result: Sendable>(
        at socketPath: String, timeout: Duration? = nil,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await TimeLimit.race {
            try await TimeLimit.keep(timeout, work)
        } against: {
            try await DaemonVigil(socketPath: socketPath).watch()
        }
    }

    /// Asks the daemon a question. A refusal is an answer.
    ///
    /// - Throws: `CancellationError`.
    static func hear(_ database: any DaemonDatabase) async throws {
        do {
            // No store has a part in this answer: a store may be opened for minutes, and a disk be slow.
            _ = try await database.daemonClients()
        } catch {
            try Task.checkCancellation()
        }
    }

    /// Asks again and again.
    ///
    /// - Throws: `Silence` once a question has no answer; `CancellationError`.
    private func watch() async throws {
        let firestore = Firestore(
            settings: FirestoreSettings(
                socketPath: socketPath, programName: "hearth", connectTimeout: Self.connectTimeout))
        while true {
            try await Task.sleep(for: Self.quietTime)
            // A daemon that is gone is the command's own matter: it may come back.
            guard isThere else { continue }
            // A machine that slept, or a command that was stopped, lets a question's time pass unheard.
            if try await isAnswered(firestore, within: Self.answerTime) { continue }
            if try await isAnswered(firestore, within: Self.lastAnswerTime) { continue }
            // The daemon may have gone meanwhile.
            guard !isThere else { throw Silence(socketPath: socketPath) }
        }
    }

    /// Whether somebody listens at the socket, though there may be no place for another connection.
    private var isThere: Bool { Session.isSomebody(at: socketPath) }

    /// Whether the daemon answers a question in time.
    private func isAnswered(_ firestore: Firestore, within time: Duration) async throws -> Bool {
        do {
            try await TimeLimit.keep(time) { try await Self.hear(firestore) }
            return true
        } catch is TimeLimit.Passed {
            return false
        }
    }
}
