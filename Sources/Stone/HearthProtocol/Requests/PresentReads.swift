/// Reads that may name a transaction or a moment.
///
/// An empty name of a transaction is none, as the backend takes it.

extension ProtoGetDocumentRequest {
    /// Whether the request reads what is there now, outside any transaction.
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .readTime: false
        case nil: true
        }
    }
}

extension ProtoListDocumentsRequest {
    /// Whether the request reads what is there now, outside any transaction.
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .readTime: false
        case nil: true
        }
    }
}

extension ProtoListCollectionIdsRequest {
    /// Whether the request reads what is there now.
    package var isOfNow: Bool { consistencySelector == nil }
}

extension ProtoBatchGetDocumentsRequest {
    /// Whether the request reads what is there now, outside any transaction.
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .newTransaction, .readTime: false
        case nil: true
        }
    }
}

extension ProtoRunQueryRequest {
    /// Whether the request reads what is there now, outside any transaction.
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .newTransaction, .readTime: false
        case nil: true
        }
    }
}

extension ProtoRunAggregationQueryRequest {
    /// Whether the request reads what is there now, outside any transaction.
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .newTransaction, .readTime: false
        case nil: true
        }
    }
}
