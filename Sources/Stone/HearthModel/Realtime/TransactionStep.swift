/// What a program does next in its transaction, or how the transaction ended.
package enum TransactionStep: Hashable, Sendable {
    /// The program computes its change from the node and proposes the result for this round.
    case run(Node, round: Int)
    /// The backend has the change; the node is what stands there now.
    case committed(Node)
    /// The program gave up; the node is what it gave up on.
    case aborted(Node)
    /// The transaction failed; the node is what stands there now.
    case failed(HearthError, Node)
}
