import FoundationEssentials
import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The read consistency of each kind of request.
extension RequestReader {
    /// Reads a transaction's name; `nil` for none.
    static func transaction(_ data: Data) throws(HearthError) -> TransactionID? {
        if data.isEmpty { return nil }
        guard let id = TransactionID([UInt8](data)) else {
            throw .argument("Invalid transaction.")
        }
        return id
    }

    /// Reads options of a transaction.
    ///
    /// - Parameter isRead: Whether a read begins the transaction. Such a transaction is read-only
    ///   by default.
    static func options(
        _ proto: ProtoTransactionOptions, isRead: Bool
    ) throws(HearthError) -> TransactionOptions {
        switch proto.mode {
        case .readOnly(let readOnly):
            guard case .readTime(let moment)? = readOnly.consistencySelector else {
                return .readOnly(at: nil)
            }
            return .readOnly(at: try time(moment))
        case .readWrite(let readWrite):
            var options: TransactionOptions =
                readWrite.concurrencyMode == .optimistic ? .optimistic : .pessimistic
            options.retried = try transaction(readWrite.retryTransaction)
            return options
        case nil:
            return isRead ? .readOnly(at: nil) : .pessimistic
        }
    }

    static func consistency(_ proto: ProtoGetDocumentRequest) throws(HearthError)
        -> ReadConsistency
    {
        switch proto.consistencySelector {
        case .transaction(let data): try within(data)
        case .readTime(let moment): .readTime(try time(moment))
        case nil: .latest
        }
    }

    static func consistency(_ proto: ProtoListDocumentsRequest) throws(HearthError)
        -> ReadConsistency
    {
        switch proto.consistencySelector {
        case .transaction(let data): try within(data)
        case .readTime(let moment): .readTime(try time(moment))
        case nil: .latest
        }
    }

    static func consistency(_ proto: ProtoListCollectionIdsRequest) throws(HearthError)
        -> ReadConsistency
    {
        switch proto.consistencySelector {
        case .readTime(let moment): .readTime(try time(moment))
        case nil: .latest
        }
    }

    static func consistency(_ proto: ProtoPartitionQueryRequest) throws(HearthError)
        -> ReadConsistency
    {
        switch proto.consistencySelector {
        case .readTime(let moment): .readTime(try time(moment))
        case nil: .latest
        }
    }

    static func consistency(_ proto: ProtoBatchGetDocumentsRequest) throws(HearthError)
        -> ReadConsistency
    {
        switch proto.consistencySelector {
        case .transaction(let data): try within(data)
        case .newTransaction(let new): .newTransaction(try options(new, isRead: true))
        case .readTime(let moment): .readTime(try time(moment))
        case nil: .latest
        }
    }

    static func consistency(_ proto: ProtoRunQueryRequest) throws(HearthError)
        -> ReadConsistency
    {
        switch proto.consistencySelector {
        case .transaction(let data): try within(data)
        case .newTransaction(let new): .newTransaction(try options(new, isRead: true))
        case .readTime(let moment): .readTime(try time(moment))
        case nil: .latest
        }
    }

    static func consistency(_ proto: ProtoRunAggregationQueryRequest) throws(HearthError)
        -> ReadConsistency
    {
        switch proto.consistencySelector {
        case .transaction(let data): try within(data)
        case .newTransaction(let new): .newTransaction(try options(new, isRead: true))
        case .readTime(let moment): .readTime(try time(moment))
        case nil: .latest
        }
    }

    private static func within(_ data: Data) throws(HearthError) -> ReadConsistency {
        try transaction(data).map { .transaction($0) } ?? .latest
    }
}

/// Targets.
extension RequestReader {
    /// Reads a target.
    ///
    /// An error in the target becomes part of the result, because the stream goes on.
    func watch(_ proto: ProtoTarget) -> WatchRequest {
        var request = WatchRequest(
            targetID: WireTargetID(proto.targetID), subject: watched(proto))
        switch proto.resumeType {
        case .resumeToken(let data):
            request.resumePoint = ResumeToken([UInt8](data)).map { .token($0) } ?? .start
        case .readTime(let moment):
            if let time = try? Self.time(moment) {
                request.resumePoint = .readTime(SnapshotVersion(time))
            }
        case nil:
            break
        }
        if proto.hasExpectedCount { request.expectedCount = Int(proto.expectedCount.value) }
        request.once = proto.once
        return request
    }

    private func watched(_ proto: ProtoTarget) -> WatchRequest.Subject {
        do throws(HearthError) {
            switch try subject(of: proto) {
            case .documents(let keys): return .documents(keys)
            case .query(let query): return .query(query)
            }
        } catch {
            return .unreadable(error)
        }
    }
}

/// Searches for nearest neighbours.
extension RequestReader {
    /// Reads a query's search for nearest neighbours; `nil` for a query without such a search.
    func nearest(_ proto: ProtoStructuredQuery) throws(HearthError) -> NearestNeighbours? {
        guard proto.hasFindNearest else { return nil }
        let nearest = proto.findNearest
        let measure: NearestNeighbours.Measure
        switch nearest.distanceMeasure {
        case .euclidean: measure = .euclidean
        case .cosine: measure = .cosine
        case .dotProduct: measure = .dotProduct
        case .unspecified, .UNRECOGNIZED:
            throw .argument("FindNearest.distance_measure must be set")
        }
        return try NearestNeighbours(
            field: try Self.fieldPath(nearest.vectorField.fieldPath),
            vector: try value(nearest.queryVector), measure: measure,
            limit: nearest.hasLimit ? Int(nearest.limit.value) : nil,
            resultField: nearest.distanceResultField.isEmpty
                ? nil : try Self.fieldPath(nearest.distanceResultField),
            threshold: nearest.hasDistanceThreshold ? nearest.distanceThreshold.value : nil)
    }
}
