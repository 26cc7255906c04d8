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
    enum Shape: Sendable {
        /// One and one.
        case unary
        /// One, then many.
        case serverStreaming
        /// Many and many.
        case bidirectional
    }

    /// How many messages go each way.
    var shape: Shape {
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
        guard let method = Self.byPath[path] else { return nil }
        self = method
    }

    private static let byPath = Dictionary(
        uniqueKeysWithValues: allCases.map {
            ("/google.firestore.v1.Firestore/\($0.rawValue)", $0)
        })
}
