import HearthRPC

/// The methods of `google.firestore.v1.Firestore`.
enum FirestoreMethod: String, CaseIterable, Sendable {
    case getDocument = "GetDocument"
    case listDocuments = "ListDocuments"
    case createDocument = "CreateDocument"
    case updateDocument = "UpdateDocument"
    case deleteDocument = "DeleteDocument"
    case batchGetDocuments = "BatchGetDocuments"
    case beginTransaction = "BeginTransaction"
    case commit = "Commit"
    case rollback = "Rollback"
    case runQuery = "RunQuery"
    case executePipeline = "ExecutePipeline"
    case runAggregationQuery = "RunAggregationQuery"
    case partitionQuery = "PartitionQuery"
    case write = "Write"
    case listen = "Listen"
    case listCollectionIds = "ListCollectionIds"
    case batchWrite = "BatchWrite"

    /// How many messages go each way.
    var shape: CallMethod.Shape {
        switch self {
        case .getDocument, .listDocuments, .createDocument, .updateDocument, .deleteDocument,
            .beginTransaction, .commit, .rollback, .partitionQuery, .listCollectionIds, .batchWrite:
            .unary
        case .batchGetDocuments, .runQuery, .executePipeline, .runAggregationQuery:
            .serverStreaming
        case .write, .listen:
            .bidirectional
        }
    }

    /// The method of a path such as `/google.firestore.v1.Firestore/Commit`; `nil` if there is none.
    init?(path: String) {
        guard let call = Self.call(at: path) else { return nil }
        self.init(call)
    }

    /// The method that a connection looked up.
    init(_ call: CallMethod) {
        self = Self.inOrder[call.number]
    }

    /// The `CallMethod` at a path; `nil` if the path names no method.
    static func call(at path: String) -> CallMethod? { callsByPath[path] }

    /// The method in the form that connections use.
    var call: CallMethod {
        guard let call = Self.call(at: path) else { preconditionFailure("\(path) is unknown") }
        return call
    }

    private var path: String { "/google.firestore.v1.Firestore/\(rawValue)" }

    /// The methods in the order of `CallMethod.number`.
    private static let inOrder = allCases

    private static let callsByPath = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { number, method in
            let call = CallMethod(name: method.rawValue, shape: method.shape, number: number)
            return (method.path, call)
        })
}
