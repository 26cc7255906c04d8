import HearthFirestore
import HearthModel
import HearthProtocol
import HearthServer
import HearthWire
import NIOCore
import SwiftProtobuf

/// Counts what the answers to one forwarded read cost, message by message.
///
/// Counted are documents by name, lists of documents and of collections, queries and aggregations.
/// Partitions and pipelines are not counted: Google bills their index entries, and the answers tell no
/// index entries.
/// An answer is looked at by its outermost fields alone, never decoded whole.
struct ForwardedTally {
    private let method: FirestoreMethod
    private let shape: QueryShape
    /// The names of an aggregation's counts.
    private var countNames: Set<String> = []
    private var documentCount = 0
    private var skippedCount = 0
    private var entryCount: Int64?
    private var hasAnswers = false

    /// Begins to count; `nil` for a method without counted reads.
    init?(_ method: FirestoreMethod, _ forwarded: ForwardedRequest) {
        switch method {
        case .getDocument, .batchGetDocuments, .listDocuments, .runQuery, .listCollectionIds: break
        case .runAggregationQuery: countNames = Self.countNames(in: forwarded.message)
        case .partitionQuery, .executePipeline, .beginTransaction, .rollback, .createDocument,
            .updateDocument, .deleteDocument, .commit, .batchWrite, .write, .listen:
            return nil
        }
        self.method = method
        shape = Self.shape(of: forwarded, method)
    }

    /// Takes a message of the answer.
    mutating func take(_ message: [UInt8]) {
        hasAnswers = true
        switch method {
        case .getDocument: documentCount = 1
        case .batchGetDocuments:
            documentCount += FieldWalk.count(of: [1, 2], in: message)  // found, missing
        case .listDocuments: documentCount += FieldWalk.count(of: [1], in: message)  // documents
        case .runQuery:
            documentCount += FieldWalk.count(of: [1], in: message)  // document
            let skipped = FieldWalk.number(4, in: message) ?? 0  // skipped_results
            skippedCount += Int(UInt32(truncatingIfNeeded: skipped))
        case .runAggregationQuery: takeNumbers(message)
        case .partitionQuery, .listCollectionIds, .executePipeline, .beginTransaction, .rollback,
            .createDocument, .updateDocument, .deleteDocument, .commit, .batchWrite, .write,
            .listen:
            break
        }
    }

    /// What the call costs, once it has ended; `nil` if nothing.
    ///
    /// A call that failed before any answer costs nothing.
    func bill(isFailed: Bool) -> ForwardedBill? {
        if isFailed, !hasAnswers { return nil }
        let count: UInt64
        switch method {
        case .getDocument: count = 1
        case .batchGetDocuments: count = ReadBill.documents(documentCount)
        case .runAggregationQuery: count = ReadBill.aggregation(entryCount: entryCount)
        case .listCollectionIds: count = ReadBill.collectionList
        case .listDocuments, .runQuery, .partitionQuery, .executePipeline, .beginTransaction,
            .rollback, .createDocument, .updateDocument, .deleteDocument, .commit, .batchWrite,
            .write, .listen:
            count = ReadBill.query(foundCount: documentCount, skippedCount: skippedCount)
        }
        return count == 0 ? nil : ForwardedBill(readCount: count, shape: shape)
    }

    private mutating func takeNumbers(_ message: [UInt8]) {
        guard !countNames.isEmpty,
            let answer = try? ProtoRunAggregationQueryResponse(serializedBytes: message)
        else { return }
        for field in answer.result.aggregateFields where countNames.contains(field.key) {
            entryCount = max(entryCount ?? 0, field.value.integerValue)
        }
    }

    private static func countNames(in message: [UInt8]) -> Set<String> {
        guard let request = try? ProtoRunAggregationQueryRequest(serializedBytes: message) else {
            return []
        }
        var names: Set<String> = []
        for aggregation in request.structuredAggregationQuery.aggregations {
            if case .count? = aggregation.`operator` { names.insert(aggregation.alias) }
        }
        return names
    }

    private static func shape(of forwarded: ForwardedRequest, _ method: FirestoreMethod)
        -> QueryShape
    {
        let place: QueryShape
        switch forwarded.needs.first?.scope {
        case .document(let path)?: place = QueryShape(of: Target(path: path))
        case .collection(let path)?: place = QueryShape(of: Target(path: path))
        case .group(let path)?:
            place = QueryShape(stored: QueryShape(of: Target(path: path)).text + "/**")
        case .subtree?, .everything?, .anything?, nil: place = QueryShape(stored: "")
        }
        return QueryShape(stored: "\(place.text) (\(method.rawValue))")
    }
}
