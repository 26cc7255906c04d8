import HearthEngine
package import HearthModel

/// Results of transactions as one request to the backend: a whole node, if another is there now.
package struct TransactionPut: Hashable, Sendable {
    /// Names a put among all of an engine.
    package struct Number: Hashable, Sendable {
        /// The number, rising.
        package let rawValue: Int64
    }

    /// The put's name in the backend's answer.
    package let number: Number
    /// Where.
    package let path: RealtimePath
    /// What is to be there.
    package let node: UnresolvedNode
    /// The V1 hash of the node that must be there before.
    package let hash: String
    /// The transactions whose results are in the put, in order.
    let transactions: [RequestID]

    /// Makes a put of several results.
    init(
        number: Number, path: RealtimePath, node: UnresolvedNode, hash: String,
        transactions: [RequestID]
    ) {
        self.number = number
        self.path = path
        self.node = node
        self.hash = hash
        self.transactions = transactions
    }

    /// Makes a put of a transaction's result, which must be there.
    init(_ transaction: PendingTransaction, _ number: Number) {
        self.init(
            number: number, path: transaction.path,
            node: transaction.output?.node ?? UnresolvedNode(transaction.input),
            hash: NodeHash.hash(of: transaction.input), transactions: [transaction.id])
    }

    /// The request.
    package var action: RealtimeAction { .put(WritePath(path), node, hash: hash) }
}
