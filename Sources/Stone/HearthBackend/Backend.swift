import HashTreeCollections
package import HearthModel
import HearthRules

/// The other side: what Firestore's servers do, for any number of databases, as a value.
///
/// Commits are atomic and sequential. Every document keeps its past versions for a while. A read at
/// a moment, a resume token and a transaction therefore ask the same question, each at another
/// version.
///
///     commit --> documents' versions --> change log --> watched targets --> messages of streams
///
/// The backend has no clock, no socket and no source of randomness: the time is an argument of
/// every call, and `takeActions()` returns what the shell must do. A copy is free, since everything
/// inside is persistent: the shell keeps the value from before a batch, and returns to that value
/// if the disk fails.
package struct Backend: Sendable {
    /// How long and how much is remembered.
    package let settings: BackendSettings
    /// Names this history of data. Resume tokens of another history are not believed.
    package let identity: UInt64
    /// Names this run of the program. Transactions do not outlive it.
    package let run: UInt64

    /// The newest moment that any answer has named. Whatever happens next, happens after it.
    package internal(set) var clock: SnapshotVersion
    var databases: TreeDictionary<DatabaseID, Database> = [:]
    var streams: TreeDictionary<StreamID, DatabaseID> = [:]
    /// The caller that opened each stream; streams of the admin have no entry.
    var callers: TreeDictionary<StreamID, Caller> = [:]
    /// The rules of each project.
    var projectRules: TreeDictionary<UTF8Text, RuleSet> = [:]
    /// What rules have come to, in projects where somebody wants to know.
    var coverage: TreeDictionary<UTF8Text, RuleCoverage> = [:]
    /// The rules of every project that has none of its own.
    var commonRules: RuleSet?
    /// Whether rules' verdicts are kept until `takeVerdicts`, and what rules come to is counted in
    /// every project with rules of its own, and in a few others; else judging costs nothing more.
    package var keepsVerdicts = false
    var verdicts: [RuleVerdict] = []
    var transactions: TransactionTable
    private var actions: [BackendAction] = []

    /// A backend without documents.
    ///
    /// - Parameters:
    ///   - identity: A number that no other history of data has.
    ///   - run: A number that no other run of the program has.
    ///   - clock: The newest moment that an earlier run named.
    ///   - settings: How long and how much is remembered.
    package init(
        identity: UInt64, run: UInt64, clock: SnapshotVersion = .zero,
        settings: BackendSettings = BackendSettings()
    ) {
        self.identity = identity
        self.run = run
        self.clock = clock
        self.settings = settings
        self.transactions = TransactionTable(settings)
    }

    /// What must be done since the last call, in order.
    package mutating func takeActions() -> [BackendAction] {
        defer { actions = [] }
        return actions
    }

    /// The documents of a database as they are now.
    package func documents(of database: DatabaseID) -> DocumentTable {
        databases[database]?.documents ?? DocumentTable()
    }

    /// The databases that hold or held documents, in no order.
    package var databaseIDs: [DatabaseID] { Array(databases.keys) }

    /// Since when every change of a database is remembered.
    package func historyStart(of database: DatabaseID) -> SnapshotVersion {
        databases[database]?.log.start ?? .zero
    }

    mutating func act(_ action: BackendAction) {
        actions.append(action)
    }

    /// A moment for a read: now, but never before anything that has been said.
    mutating func readMoment(_ now: Timestamp) -> SnapshotVersion {
        clock = max(clock, SnapshotVersion(now.flooredToMicroseconds))
        return clock
    }

    /// A moment for a commit: after every moment that has been named.
    mutating func commitMoment(_ now: Timestamp) -> SnapshotVersion {
        let next = Timestamp(microseconds: clock.timestamp.microseconds + 1)
        clock = SnapshotVersion(max(next, now.flooredToMicroseconds))
        return clock
    }
}

/// One database: its documents, what changed of late, and who watches.
struct Database: Sendable {
    var documents = DocumentTable()
    var log = ChangeLog()
    var watch = WatchHub()
}

/// What the shell must do after a call.
package enum BackendAction: Equatable, Sendable {
    /// Write to disk, before anything after it is done.
    case save(DatabaseID, Save)
    /// Send messages on a stream.
    case deliver(StreamID, [WatchChange])
    /// Answer a commit that had to wait.
    case answer(WaiterID, CommitAnswer)

    /// What the disk keeps.
    package enum Save: Equatable, Sendable {
        /// A document as it became; the versions before it stay.
        case version(Document)
        /// All versions of a document before a moment are forgotten, and the version at the moment
        /// too if the document was missing then.
        case forget(DocumentKey, before: SnapshotVersion)
        /// The change log begins later.
        case historyStart(SnapshotVersion)
    }
}

/// How a commit that had to wait ended.
package enum CommitAnswer: Equatable, Sendable {
    /// It was made.
    case committed(CommitOutcome)
    /// It was refused.
    case failed(HearthError)
}

extension HearthError {
    /// An invalid argument, in the backend's words.
    static func argument(_ message: String) -> HearthError {
        HearthError(code: .invalidArgument, message: message)
    }
}
