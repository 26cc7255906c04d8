import HearthEngine
import HearthModel
import HearthWire

/// What the machine is told, what it decides, and what it remembers of each operation.
extension ClientMachine {
    /// Who we are, and how patient.
    struct Configuration: Sendable {
        /// The client's random number. The daemon recognises resent writes by the number.
        var client: Hello.Client
        /// The program's name.
        var program: String
        /// The database to ask for.
        var database: Hello.Database
        /// How the program expects the daemon to be set up.
        var demands = DaemonDemands()
        /// The path of the daemon's socket; only for messages.
        var socketPath: String
        /// How long a request waits for a connection.
        var connectTimeout: Duration
    }

    /// One thing that a program asked for.
    struct OperationID: Hashable, Comparable, Sendable {
        let rawValue: UInt64

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// What must be done, in this order.
    enum Action: Equatable, Sendable {
        /// A frame goes to the daemon.
        case send(Frame)
        /// A one-time request has its result, and is over.
        case answer(OperationID, Event)
        /// A report of how much of a bundle is loaded.
        case progress(OperationID, Event.BundleProgress)
        /// A listener gets an update.
        case show(OperationID, ViewUpdate)
        /// A listener for sync is called.
        case inSync(OperationID)
        /// A listener to the daemon's state gets the state.
        case report(OperationID, Report)
        /// A listener to the Realtime Database gets news of its view.
        case tell(OperationID, ViewNews)
        /// A listener to the Realtime Database that has heard nothing gets the first children of its
        /// view, whose rest is on the way.
        case begin(OperationID, ViewNews)
        /// There is no connection yet for a listener to the Realtime Database that has just begun.
        case waitForConnection(OperationID)
        /// There is no connection any more for a listener that wants to know.
        case interrupt(OperationID)
        /// There is a connection for a listener to the daemon's state, and the state will come.
        case resume(OperationID)
        /// A transaction goes on with another round.
        case run(OperationID, Node, round: Int)
        /// A transaction is over.
        case conclude(OperationID, TransactionStep)
        /// A write is durable.
        case accept(OperationID, BatchID)
        /// A write is committed, and over.
        case commit(OperationID, Event.WriteCommitted)
        /// An operation of any kind ends by an error.
        case fail(OperationID, FirestoreError)
        /// Nobody waits for the rest of an operation; its callback can go.
        case forget(OperationID)
        /// The session has the memory file of so many bytes that came with the frame; `nil` for no
        /// file.
        case share(byteCount: Int?)
        /// The connection is of no use.
        case disconnect
    }

    enum Operation: Sendable {
        case read(Request, begun: Event.Snapshot?)
        case listen(HearthModel.Query, ListenOptions, ListenerView)
        case sync
        case status(StatusScope)
        case write(PendingWrite)
        case observe(ListenTarget, ListenerKind)
        case transaction(PendingTransaction)
    }

    /// What a write changes.
    enum WriteContent: Sendable {
        case mutations([Mutation], WriteConditions = WriteConditions())
        case change(RealtimeChange)
    }

    struct PendingTransaction: Sendable {
        /// A round that the program is asked for.
        struct OpenRound: Sendable {
            /// The program's number for the round; no other round has the same, not even of another
            /// daemon.
            let number: Int
            /// The daemon's number for it. Another daemon counts anew.
            let round: Int
        }

        let path: RealtimePath
        let showsEstimate: Bool
        /// The round that the program was asked for last and has not answered; `nil` if it has
        /// answered.
        var openRound: OpenRound?
        /// Whether the program has answered on this connection; the backend may then have the
        /// answer.
        var hasProposed = false
    }

    struct PendingWrite: Sendable {
        let sequence: UInt64
        let content: WriteContent
        /// Whether anybody waits for the backend's answer.
        var isAwaited: Bool
        var accepted: BatchID?
        /// The number of the stores that the write was sent to first, 0 if the daemon did not tell it;
        /// `nil` if the write was not sent on any connection.
        var sentTo: UInt64?
    }

    struct Entry {
        var operation: Operation
        /// The operation's number on this connection; `nil` if the operation was not sent on this
        /// connection.
        var number: UInt64?
        /// When the operation began to wait for a connection.
        var waitingSince: Duration?
        /// Whether the operation was sent and counts in `owedCount`.
        var isOwed = false
        /// Whether the operation may change documents and was not accepted, and counts in
        /// `changeCount`.
        var isChange = false
        /// The parts that have come of a bundle that the daemon builds.
        var bundle: [UInt8] = []
        /// The parts that have come of a list.
        var list: Event?
        /// The parts that have come of an event with nodes; `nil` between events.
        var nodes: EncodedNodes?
        /// Whether a listener to the Realtime Database has heard of its view, or of a part.
        var hasHeard = false
    }

    enum State: Sendable {
        case offline
        case greeting
        case open
    }
}
