package import HearthModel
import SwiftProtobuf

extension FirestoreCodec {
    /// Reads one message of the watch stream.
    ///
    /// - Throws: `missing` for a message without any type, which emulators have been seen to send: the
    ///   stream cannot be trusted from there on.
    package func decode(_ proto: ProtoListenResponse) throws(CodecError) -> WatchChange {
        switch proto.responseType {
        case .targetChange(let change):
            return .target(try at("target_change", decode(change)))
        case .documentChange(let change):
            return .document(try at("document_change", decode(change)))
        case .documentDelete(let delete):
            return .document(try at("document_delete", decode(delete)))
        case .documentRemove(let remove):
            return .document(try at("document_remove", decode(remove)))
        case .filter(let filter):
            return .existenceFilter(try at("filter", Self.decode(filter)))
        case nil:
            throw CodecError(.missing, at: "response_type")
        }
    }

    /// The message of a watch change, as an emulator sends it.
    ///
    /// - Throws: `CodecError` for a document that no message can hold.
    package func encode(_ change: WatchChange) throws(CodecError) -> ProtoListenResponse {
        var proto = ProtoListenResponse()
        switch change {
        case .target(let change): return Self.response(change)
        case .existenceFilter(let filter): proto.filter = Self.encode(filter)
        case .document(let change):
            guard let document = change.document else {
                proto.documentRemove.document = name(of: change.key)
                proto.documentRemove.removedTargetIds = change.removed.map(\.rawValue)
                if change.readAt != .zero {
                    proto.documentRemove.readTime = Self.encode(change.readAt.timestamp)
                }
                return proto
            }
            if document.isMissing {
                proto.documentDelete.document = name(of: change.key)
                proto.documentDelete.removedTargetIds = change.removed.map(\.rawValue)
                proto.documentDelete.readTime = Self.encode(document.version.timestamp)
            } else {
                proto.documentChange.document = try encode(document)
                proto.documentChange.targetIds = change.updated.map(\.rawValue)
                proto.documentChange.removedTargetIds = change.removed.map(\.rawValue)
            }
        }
        return proto
    }

    private func decode(_ proto: ProtoDocumentChange) throws(CodecError) -> DocumentWatchChange {
        let document = try at("document", decode(proto.document))
        guard document.version != .zero else {
            throw CodecError(.missing, at: "document", "update_time")
        }
        return DocumentWatchChange(
            updated: proto.targetIds.map { WireTargetID($0) },
            removed: proto.removedTargetIds.map { WireTargetID($0) },
            key: document.key, document: document)
    }

    private func decode(_ proto: ProtoDocumentDelete) throws(CodecError) -> DocumentWatchChange {
        let key = try at("document", key(fromName: proto.document))
        let version = try at("read_time", Self.version(proto.hasReadTime, proto.readTime))
        return DocumentWatchChange(
            updated: [], removed: proto.removedTargetIds.map { WireTargetID($0) }, key: key,
            document: .missing(key, at: version))
    }

    private func decode(_ proto: ProtoDocumentRemove) throws(CodecError) -> DocumentWatchChange {
        DocumentWatchChange(
            updated: [], removed: proto.removedTargetIds.map { WireTargetID($0) },
            key: try at("document", key(fromName: proto.document)), document: nil)
    }
}

/// Existence filters.
extension FirestoreCodec {
    private static func decode(_ proto: ProtoExistenceFilter) throws(CodecError) -> ExistenceFilter
    {
        var names: BloomFilter?
        if proto.hasUnchangedNames {
            let filter = proto.unchangedNames
            names = BloomFilter(
                bitmap: ProtoBytes.makeBytes(filter.bits.bitmap), padding: Int(filter.bits.padding),
                hashCount: Int(filter.hashCount))
        }
        return ExistenceFilter(
            target: WireTargetID(proto.targetID), count: try at("count", count(proto.count)),
            unchangedNames: names)
    }

    private static func encode(_ filter: ExistenceFilter) -> ProtoExistenceFilter {
        var proto = ProtoExistenceFilter()
        proto.targetID = filter.target.rawValue
        proto.count = Int32(clamping: filter.count)
        if let names = filter.unchangedNames?.wireForm {
            proto.unchangedNames.bits.bitmap = ProtoBytes.makeData(names.bitmap)
            proto.unchangedNames.bits.padding = Int32(clamping: names.padding)
            proto.unchangedNames.hashCount = Int32(clamping: names.hashCount)
        }
        return proto
    }
}

/// Changes of targets, and statuses.
extension FirestoreCodec {
    private func decode(_ proto: ProtoTargetChange) throws(CodecError) -> TargetWatchChange {
        let kind: TargetWatchChange.Kind
        switch proto.targetChangeType {
        case .noChange: kind = .noChange
        case .add: kind = .added
        case .remove: kind = .removed(proto.hasCause ? Self.decode(proto.cause) : nil)
        case .current: kind = .current
        case .reset: kind = .reset
        case .UNRECOGNIZED(let number):
            throw CodecError(.unknown(value: "\(number)"), at: "target_change_type")
        }
        return TargetWatchChange(
            kind: kind, targets: proto.targetIds.map { WireTargetID($0) },
            resumeToken: ResumeToken(ProtoBytes.makeBytes(proto.resumeToken)),
            readAt: try at("read_time", Self.version(proto.hasReadTime, proto.readTime)))
    }

    /// The message of a change of targets.
    static func response(_ change: TargetWatchChange) -> ProtoListenResponse {
        var proto = ProtoListenResponse()
        proto.targetChange = encode(change)
        return proto
    }

    private static func encode(_ change: TargetWatchChange) -> ProtoTargetChange {
        var proto = ProtoTargetChange()
        proto.targetChangeType = change.kind.proto
        if case .removed(let error?) = change.kind { proto.cause = encode(error) }
        proto.targetIds = change.targets.map(\.rawValue)
        if let token = change.resumeToken { proto.resumeToken = ProtoBytes.makeData(token.bytes) }
        if change.readAt != .zero { proto.readTime = encode(change.readAt.timestamp) }
        return proto
    }

    /// The message of an error.
    package static func encode(_ error: HearthError) -> ProtoStatus {
        var proto = ProtoStatus()
        proto.code = error.code.rawValue
        proto.message = error.message
        return proto
    }

    /// Reads a status; `nil` for OK. A code that gRPC does not have is `unknown`.
    package static func decode(_ proto: ProtoStatus) -> HearthError? {
        let code = StatusCode(rawValue: proto.code) ?? .unknown
        return code == .ok ? nil : HearthError(code: code, message: proto.message)
    }
}

extension TargetWatchChange.Kind {
    /// The kind as the protocol has it, without the error.
    var proto: ProtoTargetChange.TargetChangeType {
        switch self {
        case .noChange: .noChange
        case .added: .add
        case .removed: .remove
        case .current: .current
        case .reset: .reset
        }
    }
}
