import HearthEngine
import HearthModel

/// A transaction of a program, from its beginning to the backend's answer.
///
///     waiting --turn--> running --proposed--> standing --sent--> sent --answered--> (over)
///        ^                                       |                |
///        +---------- the data moved -------------+----- stale ----+
struct PendingTransaction: Sendable {
    /// How often a transaction is sent before it fails. SDKs send as often.
    static let sendCountMax = 25

    enum State: Hashable, Sendable {
        /// Waits until the program is done with another one.
        case waiting
        /// The program computes.
        case running
        /// The program's result is laid over the tree.
        case standing
        /// The result is on the way to the backend.
        case sent
    }

    /// A result, as it is laid over the tree.
    struct Output: Sendable {
        let write: WriteID
        let path: RealtimePath
        let node: UnresolvedNode
        /// The node as it is expected to come out.
        let estimate: Node
    }

    let id: RequestID
    let path: RealtimePath
    let showsEstimate: Bool
    /// Its place in the order of coming.
    let number: Int64
    var state = State.waiting
    /// How often the program was asked to compute.
    var round = 0
    /// What the program was last given.
    var input = Node.empty
    /// The last result. While the program computes anew, listeners still see the old one.
    var output: Output?
    var sendCount = 0
    /// The error of the transaction if the backend does not take it in its sent form.
    var doom: HearthError?
    /// Whether nobody waits for it any more.
    var isOrphan = false
    /// Whether the program may no longer see the transaction's place.
    var isBlind = false
    /// Whether the transaction is sent alone, after a refusal together with others.
    var goesAlone = false

    /// Whether its result may be sent once more.
    var mayGoAgain: Bool { doom == nil && !isOrphan }

    init(_ id: RequestID, at path: RealtimePath, showsEstimate: Bool, number: Int64) {
        self.id = id
        self.path = path
        self.showsEstimate = showsEstimate
        self.number = number
    }
}
