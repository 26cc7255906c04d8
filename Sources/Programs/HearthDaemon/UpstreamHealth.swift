import HearthEngine
import HearthModel
import HearthRemote
import HearthServer
import Logging
import Synchronization

/// Knows what is wrong between us and the backend, and tells log and status when that changes.
///
/// Being offline is no failure. Failures noted before a server exists are told to the server later.
final class UpstreamHealth: Sendable {
    /// The parts that can fail.
    enum Subject: Hashable, Sendable, CustomStringConvertible {
        case connection
        /// The connection to a Realtime Database.
        case link(InstanceID)
        /// Who we are to a project's Firestore.
        case credentials(String)
        /// Who we are to a project's Realtime Databases.
        case linkCredentials(String)
        /// The Firebase user of the default project, who we are to every database.
        case firebaseUser(String)

        var description: String {
            switch self {
            case .connection: "connection"
            case .link(let instance): "connection to \(instance)"
            case .credentials(let project): "credentials of \(project)"
            case .linkCredentials(let project):
                "credentials of \(project) for the Realtime Database"
            case .firebaseUser(let project): "Firebase user of \(project)"
            }
        }

        /// Whether a failure of the subject concerns a database; a failure degrades no other.
        fileprivate func concerns(_ key: EngineKey, in configuration: ServerConfiguration) -> Bool {
            switch self {
            case .connection: key.firestore != nil
            case .link(let instance): key.realtime == instance
            case .credentials(let project):
                key.firestore.map { utf8Equals($0.project, project) } ?? false
            case .linkCredentials(let project):
                key.realtime.map { utf8Equals(configuration.project(of: $0), project) } ?? false
            case .firebaseUser: true
            }
        }

        /// The failure in the words that status and log tell.
        fileprivate func explained(
            _ error: HearthError, in configuration: ServerConfiguration
        ) -> HearthError {
            switch self {
            case .link, .linkCredentials: configuration.explained(error)
            case .connection, .credentials, .firebaseUser: error
            }
        }
    }

    /// How many failures are known at a time. Programs name databases and projects.
    static let failureCountMax = 1_000

    private struct State {
        /// How many notes there are of each part that may end.
        var noteCounts: [Subject: Int] = [:]
        var failures: [Subject: HearthError] = [:]
        var user: UserID?
        var server: HearthServer?
    }

    private let state = Mutex(State())
    private let configuration: ServerConfiguration
    private let logger: Logger

    /// Nothing is wrong yet.
    init(_ configuration: ServerConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Tells a server from now on, and what was noted until now.
    func report(to server: HearthServer) {
        state.withLock { state in
            state.server = server
            for (subject, error) in state.failures {
                tell(server, error.message, of: subject)
            }
            if let user = state.user { server.changeUser(to: user) }
        }
    }

    private func tell(_ server: HearthServer?, _ reason: String?, of subject: Subject) {
        server?.reporter.setReason(reason, for: "\(subject)") { [configuration] key in
            subject.concerns(key, in: configuration)
        }
    }

    /// Notes how it stands with credentials.
    func note(_ credentials: CredentialsState, of subject: Subject) {
        switch credentials {
        case .ready: note(nil, of: subject)
        case .failing(let error): note(error, of: subject)
        }
    }

    /// Notes the failure of a subject; `nil` notes that the subject is well.
    func note(_ error: HearthError?, of subject: Subject) {
        let error = error.map { subject.explained($0, in: configuration) }
        state.withLock { state in
            guard state.failures[subject] != error else { return }
            let isKnown = state.failures[subject] != nil
            guard isKnown || state.failures.count < Self.failureCountMax else { return }
            state.failures[subject] = error
            // Tells under the lock, so that status and log hear failures in the order of the notes.
            tell(state.server, error?.message, of: subject)
            guard let error else {
                return logger.notice("upstream well", metadata: ["subject": "\(subject)"])
            }
            switch subject {
            case .credentials(let project), .linkCredentials(let project),
                .firebaseUser(let project):
                logger.record(.credentialFailed, [.project: project, .reason: error.message])
            case .connection:
                logger.error("connection failed", metadata: ["reason": "\(error.message)"])
            case .link(let instance):
                logger.error(
                    "connection failed",
                    metadata: ["instance": "\(instance)", "reason": "\(error.message)"])
            }
        }
    }

    /// Begins notes of a part that may end: then its failure is nobody's trouble.
    func notes(of subject: Subject) -> Notes {
        state.withLock { $0.noteCounts[subject, default: 0] += 1 }
        return Notes(self, subject)
    }

    /// Notes of one part. When the last of the part is let go, its failure is forgotten.
    final class Notes: Sendable {
        private let health: UpstreamHealth
        private let subject: Subject

        fileprivate init(_ health: UpstreamHealth, _ subject: Subject) {
            self.health = health
            self.subject = subject
        }

        deinit { health.end(subject) }

        /// Notes how it stands with credentials.
        func note(_ credentials: CredentialsState) { health.note(credentials, of: subject) }

        /// Notes a failure; `nil` notes that the part is well.
        func note(_ error: HearthError?) { health.note(error, of: subject) }
    }

    private func end(_ subject: Subject) {
        state.withLock { state in
            let count = state.noteCounts[subject] ?? 0
            state.noteCounts[subject] = count > 1 ? count - 1 : nil
            guard count <= 1, state.failures.removeValue(forKey: subject) != nil else { return }
            tell(state.server, nil, of: subject)
        }
    }

    /// The known failure of a subject, in a sentence; `nil` if no failure is known.
    func problem(of subject: Subject) -> String? {
        state.withLock { $0.failures[subject]?.message }
    }

    /// Notes who is signed in.
    func userChanged(to user: UserID) {
        state.withLock { state in
            state.user = user
            state.server?.changeUser(to: user)
        }
    }
}
