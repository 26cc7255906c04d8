import HearthModel
import HearthProtocol
import HearthServer
import SwiftProtobuf

/// Transactions belong to the Unix user whose program began them.
extension GatewaySession {
    /// Whether a program of this session's user has begun a transaction here.
    func hasBegun(_ transaction: [UInt8]) -> Bool {
        transactions.isKnown(transaction, in: database, to: connection.peer)
    }

    /// Refuses a transaction that no program of this session's user has begun.
    ///
    /// - Throws: The backend's error for an unknown transaction. So a program learns
    ///   nothing of another user's transactions.
    func checkBegun(_ transaction: [UInt8]) throws(HearthError) {
        guard hasBegun(transaction) else { throw .argument("Invalid transaction.") }
    }

    /// The backend has begun a transaction for this session.
    func noteBegun(_ transaction: [UInt8]) {
        transactions.begun(transaction, in: database, by: connection.peer)
    }

    /// The backend has ended a transaction of this session's; the name may be empty, for none.
    func noteEnded(_ transaction: [UInt8]) {
        transactions.ended(transaction, in: database, by: connection.peer)
    }

    private var transactions: BegunTransactions { connection.gateway.transactions }
}

extension ForwardedRequest.TransactionUse {
    /// Whether the answer names a transaction that has begun.
    var begins: Bool {
        switch self {
        case .begins, .beginsInPast: true
        case .none, .joins: false
        }
    }
}

extension FirestoreMethod {
    /// The name of the transaction that a message of the backend's answer tells of.
    ///
    /// - Returns: `nil` for a message that names none.
    func transaction(in message: [UInt8]) -> [UInt8]? {
        switch self {
        case .beginTransaction: name(message, \ProtoBeginTransactionResponse.transaction)
        case .batchGetDocuments: name(message, \ProtoBatchGetDocumentsResponse.transaction)
        case .runQuery: name(message, \ProtoRunQueryResponse.transaction)
        case .runAggregationQuery: name(message, \ProtoRunAggregationQueryResponse.transaction)
        case .executePipeline: name(message, \ProtoExecutePipelineResponse.transaction)
        case .getDocument, .listDocuments, .createDocument, .updateDocument, .deleteDocument,
            .commit, .rollback, .batchWrite, .partitionQuery, .listCollectionIds, .write, .listen:
            nil
        }
    }

    private func name<Answer: Message, Bytes: Sequence<UInt8>>(
        _ message: [UInt8], _ path: KeyPath<Answer, Bytes>
    ) -> [UInt8]? {
        guard let answer = try? Answer(serializedBytes: message) else { return nil }
        let name = Array(answer[keyPath: path])
        return name.isEmpty ? nil : name
    }
}
