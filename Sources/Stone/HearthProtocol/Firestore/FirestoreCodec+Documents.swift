package import HearthModel
import SwiftProtobuf

extension FirestoreCodec {
    /// The message of a document that exists; times of zero, which mean "unknown", are left out.
    ///
    /// - Throws: `unsupported` for a document that is not found: a message holds fields or nothing.
    package func encode(_ document: Document) throws(CodecError) -> ProtoDocument {
        guard case .found(let fields) = document.content else {
            throw CodecError(.unsupported(reason: "\(document.key) has no fields"))
        }
        var proto = ProtoDocument()
        proto.name = name(of: document.key)
        proto.fields = try encode(fields)
        if document.version != .zero {
            proto.updateTime = Self.encode(document.version.timestamp)
        }
        if document.createdAt != .zero {
            proto.createTime = Self.encode(document.createdAt.timestamp)
        }
        return proto
    }

    /// Reads a document of this database. Without an update time its version is zero.
    ///
    /// - Throws: `CodecError` for a name of another database, or a value or time that the codec
    ///   cannot read.
    package func decode(_ proto: ProtoDocument) throws(CodecError) -> Document {
        let key = try at("name", key(fromName: proto.name))
        let fields = try at("fields", decode(proto.fields))
        let version = try at("update_time", Self.version(proto.hasUpdateTime, proto.updateTime))
        let createdAt = try at("create_time", Self.version(proto.hasCreateTime, proto.createTime))
        return .found(key, at: version, fields, createdAt: createdAt)
    }
}

extension FirestoreCodec {
    /// Reads one answer of BatchGetDocuments: a document found or missing at the time of reading, or
    /// `nil` for the answer that only brings a transaction.
    ///
    /// - Throws: `CodecError` for a document, name or time that the codec cannot read.
    package func decode(_ proto: ProtoBatchGetDocumentsResponse) throws(CodecError) -> Document? {
        let readAt = try at("read_time", Self.version(proto.hasReadTime, proto.readTime))
        var document: Document
        switch proto.result {
        case .found(let found): document = try at("found", decode(found))
        case .missing(let name):
            document = .missing(try at("missing", key(fromName: name)), at: readAt)
        case nil: return nil
        }
        document.readAt = readAt
        return document
    }
}
