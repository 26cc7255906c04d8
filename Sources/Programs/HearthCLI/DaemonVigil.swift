import Hearth

/// Notices a daemon that stands still, as a stopped process does: the daemon keeps its sockets, takes
/// connections, and answers nobody.
///
/// A command that takes long is no sign of that: a backend may be slow, and so may be whoever reads what the
/// command prints. So the vigil asks a question of its own, on a connection of its own.
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

    /// Does something for as long as the daemon answers.
    ///
    /// - Throws: `Silence`, or the error of `work`. Work that goes on though it is cancelled is not waited for.
    static func attend<Result: Sendable>(
        at socketPath: String, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await Session.race(work) { try await DaemonVigil(socketPath: socketPath).watch() }
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
            guard (try? Session.probe(socketPath)) != nil else { continue }
            // A machine that slept, or a command that was stopped, lets a question's time pass unheard.
            let isAnswered = try await isAnswered(firestore, within: Self.answerTime)
            if isAnswered { continue }
            guard try await self.isAnswered(firestore, within: Self.lastAnswerTime) else {
                throw Silence(socketPath: socketPath)
            }
        }
    }
    /// Whether the daemon answers a question in time. A refusal is an answer.
    private func isAnswered(_ firestore: Firestore, within time: Duration) async throws -> Bool {
        do {
            // No store has a part in this answer: a store may be opened for minutes, and a disk be slow.
            _ = try await Session.limit(time) { try await firestore.daemonClients() }
        } catch is Session.TimeIsUp {
            return false
        } catch {
            try Task.checkCancellation()
        }
        return true
    }
}
