/// A read that may name a transaction or a moment.
///
/// An empty name of a transaction is none, as the backend takes it.
package protocol PresentRead {
    /// Whether the request reads what is there now, outside any transaction.
    var isOfNow: Bool { get }
}

extension ProtoGetDocumentRequest: PresentRead {
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .readTime: false
        case nil: true
        }
    }
}

extension ProtoListDocumentsRequest: PresentRead {
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .readTime: false
        case nil: true
        }
    }
}

extension ProtoListCollectionIdsRequest: PresentRead {
    package var isOfNow: Bool { consistencySelector == nil }
}

extension ProtoBatchGetDocumentsRequest: PresentRead {
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .newTransaction, .readTime: false
        case nil: true
        }
    }
}

extension ProtoRunQueryRequest: PresentRead {
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .newTransaction, .readTime: false
        case nil: true
        }
    }
}

extension ProtoRunAggregationQueryRequest: PresentRead {
    package var isOfNow: Bool {
        switch consistencySelector {
        case .transaction(let id): ProtoBytes.makeBytes(id).isEmpty
        case .newTransaction, .readTime: false
        case nil: true
        }
    }
}
