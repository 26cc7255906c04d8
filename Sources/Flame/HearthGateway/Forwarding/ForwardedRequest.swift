import FoundationEssentials
import HearthModel
import HearthProtocol
import HearthServer
import HearthWire
import NIOCore
import SwiftProtobuf

/// A request that the backend will answer: what it needs here, and the bytes to send.
struct ForwardedRequest {
    /// A right that the program must have.
    struct Need: Hashable, Sendable {
        let right: AccessPolicy.Right
        let scope: AccessScope
    }

    /// How a request stands to a transaction.
    enum TransactionUse: Hashable, Sendable {
        /// Not at all.
        case none
        /// The request begins a transaction, which must see its program's earlier writes.
        case begins
        /// The request begins a transaction that reads in the past, and sees the documents of then.
        case beginsInPast
        /// The request is part of a transaction that has begun.
        case joins
    }

    /// The rights that the program must have.
    private(set) var needs: [Need] = []
    /// The routing fields with their values; `nil` if the request names the database.
    private(set) var routing: KeyValuePairs<String, String>?
    /// How the request stands to a transaction.
    private(set) var transactionUse = TransactionUse.none
    /// The transaction that the request is part of; empty for none.
    private(set) var transaction: [UInt8] = []
    /// The transaction whose next try the request begins; empty for none.
    private(set) var retried: [UInt8] = []
    /// The request's bytes: the client's bytes, unless a time in the request bore a mark of ours.
    private(set) var message: [UInt8]
    private let database: DatabaseID
    private let namesRetried: Bool

    /// Reads a request of one message.
    ///
    /// - Parameters:
    ///   - database: The database that the session serves.
    ///   - namesRetried: Whether the request may name the transaction that it tries again.
    /// - Throws: `invalidArgument` for bytes that are not a request of this kind, and for names of
    ///   other databases.
    init(
        _ method: FirestoreMethod, _ request: ByteBuffer, in database: DatabaseID,
        namesRetried: Bool = true
    ) throws(HearthError) {
        self.database = database
        self.namesRetried = namesRetried
        message = Array(request.readableBytesView)
        switch method {
        case .getDocument: try read(ProtoGetDocumentRequest.self)
        case .listDocuments: try read(ProtoListDocumentsRequest.self)
        case .batchGetDocuments: try read(ProtoBatchGetDocumentsRequest.self)
        case .runQuery: try read(ProtoRunQueryRequest.self)
        case .runAggregationQuery: try read(ProtoRunAggregationQueryRequest.self)
        case .partitionQuery: try read(ProtoPartitionQueryRequest.self)
        case .listCollectionIds: try read(ProtoListCollectionIdsRequest.self)
        case .executePipeline: try read(ProtoExecutePipelineRequest.self)
        case .beginTransaction: try read(ProtoBeginTransactionRequest.self)
        case .rollback: try read(ProtoRollbackRequest.self)
        case .createDocument: try read(ProtoCreateDocumentRequest.self)
        case .updateDocument: try read(ProtoUpdateDocumentRequest.self)
        case .deleteDocument: try read(ProtoDeleteDocumentRequest.self)
        case .commit: try read(ProtoCommitRequest.self)
        case .batchWrite: try read(ProtoBatchWriteRequest.self)
        case .write, .listen: preconditionFailure("\(method.rawValue) has many requests")
        }
    }

    private mutating func read<Request: ForwardableRequest>(
        _ type: Request.Type
    ) throws(HearthError) {
        var request: Request
        do {
            request = try Request(serializedBytes: message)
        } catch {
            throw HearthError(
                code: .invalidArgument,
                message: "The request is no readable \(Request.protoMessageName).")
        }
        needs = try request.needs(in: database)
        routing = request.routing
        transactionUse = request.transactionUse
        if transactionUse == .joins { transaction = Array(request.transaction) }
        var isChanged = request.dropMarks()
        if var options = request.newOptions, !options.readWrite.retryTransaction.isEmpty {
            if namesRetried {
                retried = Array(options.readWrite.retryTransaction)
            } else {
                options.readWrite.retryTransaction = Data()
                request.newOptions = options
                isChanged = true
            }
        }
        if isChanged { message = FirestoreCodec.bytes(of: request) }
    }
}

/// A request as its forwarding must know it.
protocol ForwardableRequest: Message {
    /// The routing fields with their values; `nil` if the request names the database.
    var routing: KeyValuePairs<String, String>? { get }
    /// How the request stands to a transaction.
    var transactionUse: ForwardedRequest.TransactionUse { get }
    /// The transaction that the request is part of; empty for none.
    var transaction: Data { get }
    /// The options of the transaction that the request begins; `nil` if it begins none.
    var newOptions: ProtoTransactionOptions? { get set }

    /// The rights that the program must have in a database.
    ///
    /// - Throws: `invalidArgument` for names of other databases or none.
    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need]
    /// Cuts marks of ours from the times that the request carries.
    ///
    /// - Returns: Whether there were any.
    mutating func dropMarks() -> Bool
}

extension ForwardableRequest {
    var routing: KeyValuePairs<String, String>? { nil }
    var transactionUse: ForwardedRequest.TransactionUse { .none }
    var transaction: Data { Data() }
    var newOptions: ProtoTransactionOptions? {
        get { nil }
        set {}
    }
    mutating func dropMarks() -> Bool { false }
}

extension Google_Protobuf_Timestamp {
    /// Cuts a mark: the digits below microseconds, which no time of the backend has.
    ///
    /// - Returns: Whether there was one.
    mutating func dropMark() -> Bool {
        let mark = nanos % 1_000
        nanos -= mark
        return mark != 0
    }
}
