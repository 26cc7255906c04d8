import HearthModel
import HearthProtocol
import SwiftProtobuf

/// Reads any bytes as a request of Firestore, as the servers do, for tests and for the fuzzer.
///
/// The first byte of an input chooses the method, the rest is the message.
enum RequestReading {
    /// Reads an input.
    ///
    /// - Returns: What two readers of the same bytes do not agree on; `nil` if they agree, or refuse.
    static func complaint(about input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        let methods = FirestoreMethod.allCases
        let method = methods[Int(first) % methods.count]
        let bytes = Array(input.dropFirst())
        let found = bytes.withUnsafeBytes {
            try? RequestDatabase.read($0, isInDocument: method == .updateDocument)
        }
        guard let found, let name = name(in: bytes, of: method) else { return nil }
        guard name == found.name || name.hasPrefix(found.name + "/") else {
            return "\(method) names \(name), and \(found) was found"
        }
        if method == .commit || method == .batchWrite,
            let plain = bytes.withUnsafeBytes({ PlainWrites($0) }), plain.database != found
        {
            return "plain writes are of \(plain.database), and \(found) was found"
        }
        read(bytes, of: method, in: found)
        return nil
    }

    /// The first field of a request, as the generated messages read it; `nil` for no request.
    private static func name(in bytes: [UInt8], of method: FirestoreMethod) -> String? {
        switch method {
        case .getDocument: message(ProtoGetDocumentRequest.self, bytes)?.name
        case .listDocuments: message(ProtoListDocumentsRequest.self, bytes)?.parent
        case .createDocument: message(ProtoCreateDocumentRequest.self, bytes)?.parent
        case .updateDocument: message(ProtoUpdateDocumentRequest.self, bytes)?.document.name
        case .deleteDocument: message(ProtoDeleteDocumentRequest.self, bytes)?.name
        case .batchGetDocuments: message(ProtoBatchGetDocumentsRequest.self, bytes)?.database
        case .beginTransaction: message(ProtoBeginTransactionRequest.self, bytes)?.database
        case .commit: message(ProtoCommitRequest.self, bytes)?.database
        case .rollback: message(ProtoRollbackRequest.self, bytes)?.database
        case .runQuery: message(ProtoRunQueryRequest.self, bytes)?.parent
        case .executePipeline: nil
        case .runAggregationQuery: message(ProtoRunAggregationQueryRequest.self, bytes)?.parent
        case .partitionQuery: message(ProtoPartitionQueryRequest.self, bytes)?.parent
        case .write: message(ProtoWriteRequest.self, bytes)?.database
        case .listen: message(ProtoListenRequest.self, bytes)?.database
        case .listCollectionIds: message(ProtoListCollectionIdsRequest.self, bytes)?.parent
        case .batchWrite: message(ProtoBatchWriteRequest.self, bytes)?.database
        }
    }

    /// Reads what a request holds, which may be refused but must not stop the process.
    private static func read(_ bytes: [UInt8], of method: FirestoreMethod, in database: DatabaseID)
    {
        let reader = RequestReader(database: database)
        switch method {
        case .commit:
            _ = try? reader.writes(message(ProtoCommitRequest.self, bytes)?.writes ?? [])
        case .batchWrite:
            _ = try? reader.writes(message(ProtoBatchWriteRequest.self, bytes)?.writes ?? [])
        case .runQuery:
            guard let request = message(ProtoRunQueryRequest.self, bytes) else { return }
            _ = try? reader.query(
                request.structuredQuery, parent: NameReader.parent(request.parent).1)
        case .runAggregationQuery:
            guard let request = message(ProtoRunAggregationQueryRequest.self, bytes) else { return }
            _ = try? RequestReader.aggregations(request.structuredAggregationQuery.aggregations)
        case .getDocument:
            _ = try? NameReader.document(message(ProtoGetDocumentRequest.self, bytes)?.name ?? "")
        case .listDocuments:
            _ = try? RequestReader.orderBys(
                message(ProtoListDocumentsRequest.self, bytes)?.orderBy ?? "")
        case .createDocument, .updateDocument, .deleteDocument, .batchGetDocuments,
            .beginTransaction, .rollback, .executePipeline, .partitionQuery, .write, .listen,
            .listCollectionIds:
            break
        }
    }

    private static func message<Request: Message>(_: Request.Type, _ bytes: [UInt8]) -> Request? {
        try? Request(serializedBytes: bytes)
    }
}
