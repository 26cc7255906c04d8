import FoundationEssentials
import HearthModel
import HearthProtocol
import HearthServer
import HearthWire
import SwiftProtobuf

extension ProtoBeginTransactionRequest: ForwardableRequest {
    var transactionUse: ForwardedRequest.TransactionUse { options.transactionUse }

    var newOptions: ProtoTransactionOptions? {
        get { options }
        set { options = newValue ?? ProtoTransactionOptions() }
    }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        [.init(right: .read, scope: .anything)]
    }

    mutating func dropMarks() -> Bool { options.dropMarks() }
}

extension ProtoRollbackRequest: ForwardableRequest {
    var transactionUse: ForwardedRequest.TransactionUse { .joins }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        [.init(right: .read, scope: .anything)]
    }
}

extension ProtoCommitRequest: ForwardableRequest {
    var transactionUse: ForwardedRequest.TransactionUse { transaction.isEmpty ? .none : .joins }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        try writes.map { write throws(HearthError) -> ForwardedRequest.Need in
            try write.need(in: database)
        }
    }

    mutating func dropMarks() -> Bool { writes.dropMarks() }
}

extension ProtoBatchWriteRequest: ForwardableRequest {
    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        try writes.map { write throws(HearthError) -> ForwardedRequest.Need in
            try write.need(in: database)
        }
    }

    mutating func dropMarks() -> Bool { writes.dropMarks() }
}

extension ProtoCreateDocumentRequest: ForwardableRequest {
    var routing: KeyValuePairs<String, String>? {
        ["parent": parent, "collection_id": collectionID]
    }

    /// Without an id the backend chooses any id of the collection.
    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        let path = try NameReader.parent(parent, in: database)
        do throws(PathError) {
            let collection = path.appending(try PathSegment(parsing: collectionID))
            if documentID.isEmpty { return [.init(right: .write, scope: .collection(collection))] }
            let document = collection.appending(try PathSegment(parsing: documentID))
            return [.init(right: .write, scope: .document(document))]
        } catch {
            throw HearthError(
                code: .invalidArgument,
                message: "\"\(collectionID)/\(documentID)\" names no document: \(error)")
        }
    }
}

extension ProtoUpdateDocumentRequest: ForwardableRequest {
    var routing: KeyValuePairs<String, String>? { ["document.name": document.name] }

    /// The answer has the whole document.
    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        let path = try NameReader.document(document.name, in: database).path
        return [
            .init(right: .write, scope: .document(path)),
            .init(right: .read, scope: .document(path)),
        ]
    }

    mutating func dropMarks() -> Bool {
        guard hasCurrentDocument else { return false }
        return currentDocument.dropMark()
    }
}

extension ProtoDeleteDocumentRequest: ForwardableRequest {
    var routing: KeyValuePairs<String, String>? { ["name": name] }

    func needs(in database: DatabaseID) throws(HearthError) -> [ForwardedRequest.Need] {
        let key = try NameReader.document(name, in: database)
        return [.init(right: .write, scope: .document(key.path))]
    }

    mutating func dropMarks() -> Bool {
        guard hasCurrentDocument else { return false }
        return currentDocument.dropMark()
    }
}

extension ProtoWrite {
    /// The right that the write needs.
    fileprivate func need(in database: DatabaseID) throws(HearthError) -> ForwardedRequest.Need {
        let (name, right): (String, AccessPolicy.Right) =
            switch operation {
            case .update(let document): (document.name, .write)
            case .delete(let name): (name, .write)
            case .verify(let name): (name, .read)
            case .transform(let transform): (transform.document, .write)
            case nil: ("", .write)
            }
        let key = try NameReader.document(name, in: database)
        return .init(right: right, scope: .document(key.path))
    }
}

extension [ProtoWrite] {
    /// Cuts marks from the conditions of the writes.
    fileprivate mutating func dropMarks() -> Bool {
        var hadMarks = false
        for index in indices where self[index].hasCurrentDocument {
            if self[index].currentDocument.dropMark() { hadMarks = true }
        }
        return hadMarks
    }
}

extension ProtoPrecondition {
    /// Cuts a mark from the time that the document must have.
    fileprivate mutating func dropMark() -> Bool {
        guard case .updateTime(var time)? = conditionType, time.dropMark() else { return false }
        conditionType = .updateTime(time)
        return true
    }
}
