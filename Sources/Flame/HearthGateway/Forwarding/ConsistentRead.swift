import FoundationEssentials
import HearthModel
import HearthProtocol
import HearthServer
import HearthWire
import SwiftProtobuf

/// A read that may be in a transaction or at a time.
protocol ConsistentRead: ForwardableRequest {
    /// The time of reading; zero for none.
    var readTime: Google_Protobuf_Timestamp { get set }
}

extension ConsistentRead {
    var transactionUse: ForwardedRequest.TransactionUse { transaction.isEmpty ? .none : .joins }

    mutating func dropMarks() -> Bool {
        var time = readTime
        guard time.dropMark() else { return false }
        readTime = time
        return true
    }
}

/// A read that may begin a transaction.
protocol BeginningRead: ConsistentRead {}

extension BeginningRead {
    var transactionUse: ForwardedRequest.TransactionUse {
        if !transaction.isEmpty { return .joins }
        return newOptions?.transactionUse ?? .none
    }

    mutating func dropMarks() -> Bool {
        if var options = newOptions {
            guard options.dropMarks() else { return false }
            newOptions = options
            return true
        }
        var time = readTime
        guard time.dropMark() else { return false }
        readTime = time
        return true
    }
}

extension ProtoTransactionOptions {
    /// A transaction in the past sees the documents of the past moment, and no later write of the
    /// program's.
    var transactionUse: ForwardedRequest.TransactionUse {
        if case .readOnly(let readOnly)? = mode, readOnly.consistencySelector != nil {
            return .beginsInPast
        }
        return .begins
    }

    /// Cuts a mark from the time of reading.
    mutating func dropMarks() -> Bool {
        guard case .readOnly(var readOnly)? = mode else { return false }
        var time = readOnly.readTime
        guard time.dropMark() else { return false }
        readOnly.readTime = time
        self.readOnly = readOnly
        return true
    }
}

extension ProtoGetDocumentRequest: ConsistentRead {
    var routing: KeyValuePairs<String, String>? { ["name": name] }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        [.init(right: .read, scope: .document(try NameReader.document(name, in: database).path))]
    }
}

extension ProtoListDocumentsRequest: ConsistentRead {
    var routing: KeyValuePairs<String, String>? {
        ["parent": parent, "collection_id": collectionID]
    }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        let scope = try AccessScope.documents(
            of: collectionID, allDescendants: false,
            below: NameReader.parent(parent, in: database))
        return [.init(right: .read, scope: scope)]
    }
}

extension ProtoBatchGetDocumentsRequest: BeginningRead {
    var newOptions: ProtoTransactionOptions? {
        get { if case .newTransaction(let options)? = consistencySelector { options } else { nil } }
        set { consistencySelector = newValue.map { .newTransaction($0) } }
    }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        try documents.map { name throws(HearthError) -> ForwardedRequest.Need in
            let key = try NameReader.document(name, in: database)
            return .init(right: .read, scope: .document(key.path))
        }
    }
}

extension ProtoRunQueryRequest: BeginningRead {
    var routing: KeyValuePairs<String, String>? { ["parent": parent] }

    var newOptions: ProtoTransactionOptions? {
        get { if case .newTransaction(let options)? = consistencySelector { options } else { nil } }
        set { consistencySelector = newValue.map { .newTransaction($0) } }
    }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        try structuredQuery.needs(below: NameReader.parent(parent, in: database))
    }
}

extension ProtoRunAggregationQueryRequest: BeginningRead {
    var routing: KeyValuePairs<String, String>? { ["parent": parent] }

    var newOptions: ProtoTransactionOptions? {
        get { if case .newTransaction(let options)? = consistencySelector { options } else { nil } }
        set { consistencySelector = newValue.map { .newTransaction($0) } }
    }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        try structuredAggregationQuery.structuredQuery.needs(
            below: NameReader.parent(parent, in: database))
    }
}

extension ProtoPartitionQueryRequest: ForwardableRequest {
    var routing: KeyValuePairs<String, String>? { ["parent": parent] }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        try structuredQuery.needs(below: NameReader.parent(parent, in: database))
    }

    mutating func dropMarks() -> Bool {
        var time = readTime
        guard time.dropMark() else { return false }
        readTime = time
        return true
    }
}

extension ProtoListCollectionIdsRequest: ForwardableRequest {
    var routing: KeyValuePairs<String, String>? { ["parent": parent] }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        let path = try NameReader.parent(parent, in: database)
        return [.init(right: .read, scope: .group(below: path))]
    }

    mutating func dropMarks() -> Bool {
        var time = readTime
        guard time.dropMark() else { return false }
        readTime = time
        return true
    }
}

/// A pipeline names its documents in the backend's own words, and perhaps writes.
extension ProtoExecutePipelineRequest: BeginningRead {
    var newOptions: ProtoTransactionOptions? {
        get { if case .newTransaction(let options)? = consistencySelector { options } else { nil } }
        set { consistencySelector = newValue.map { .newTransaction($0) } }
    }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        [.init(right: .read, scope: .everything), .init(right: .write, scope: .everything)]
    }
}

extension ProtoStructuredQuery {
    /// The rights to what the query can find.
    fileprivate func needs(
        below parent: ResourcePath
    ) throws(HearthError) -> [ForwardedRequest.Need] {
        // Without a collection it finds documents of all of them.
        guard !from.isEmpty else { return [.init(right: .read, scope: .group(below: parent))] }
        return try from.map { selector throws(HearthError) -> ForwardedRequest.Need in
            let scope = try AccessScope.documents(
                of: selector.collectionID, allDescendants: selector.allDescendants, below: parent)
            return .init(right: .read, scope: scope)
        }
    }
}

extension AccessScope {
    /// The documents of a collection id below a parent; of all collections if the id is empty.
    fileprivate static func documents(
        of collectionID: String, allDescendants: Bool, below parent: ResourcePath
    ) throws(HearthError) -> AccessScope {
        if allDescendants || collectionID.isEmpty { return .group(below: parent) }
        do throws(PathError) {
            return .collection(parent.appending(try PathSegment(parsing: collectionID)))
        } catch {
            throw HearthError(
                code: .invalidArgument,
                message: "Collection id \"\(collectionID)\" must not hold a slash.")
        }
    }
}

extension NameReader {
    /// Reads the full name of a parent in one database.
    static func parent(
        _ name: String, in database: DatabaseID
    ) throws(HearthError) -> ResourcePath {
        let (found, path) = try parent(name)
        guard found == database else {
            throw HearthError(
                code: .invalidArgument,
                message: "Parent name \"\(name)\" is not of the request's database \(database).")
        }
        return path
    }
}
