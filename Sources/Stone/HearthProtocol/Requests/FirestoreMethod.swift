/// The methods of `google.firestore.v1.Firestore`.
package enum FirestoreMethod: String, CaseIterable, Sendable {
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

    /// The name of the service whose methods these are.
    package static let service = "google.firestore.v1.Firestore"

    /// Whether a call brings many requests; a call of such a method has many answers too.
    package var hasManyRequests: Bool {
        switch self {
        case .write, .listen:
            true
        case .getDocument, .listDocuments, .createDocument, .updateDocument, .deleteDocument,
            .batchGetDocuments, .beginTransaction, .commit, .rollback, .runQuery, .executePipeline,
            .runAggregationQuery, .partitionQuery, .listCollectionIds, .batchWrite:
            false
        }
    }

    /// Whether a call has many answers.
    package var hasManyAnswers: Bool {
        switch self {
        case .batchGetDocuments, .runQuery, .executePipeline, .runAggregationQuery, .write, .listen:
            true
        case .getDocument, .listDocuments, .createDocument, .updateDocument, .deleteDocument,
            .beginTransaction, .commit, .rollback, .partitionQuery, .listCollectionIds, .batchWrite:
            false
        }
    }
}
