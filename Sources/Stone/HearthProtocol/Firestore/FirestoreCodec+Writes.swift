package import HearthModel
import SwiftProtobuf

extension FirestoreCodec {
    /// The message of a write.
    ///
    /// - Throws: `CodecError` for a value that no message can hold.
    package func encode(_ mutation: Mutation) throws(CodecError) -> ProtoWrite {
        var proto = ProtoWrite()
        switch mutation.kind {
        case .set(let fields):
            proto.update = try encode(fields, of: mutation.key)
        case .patch(let fields, let mask):
            proto.update = try encode(fields, of: mutation.key)
            proto.updateMask = Self.encode(mask)
        case .delete: proto.delete = name(of: mutation.key)
        case .verify: proto.verify = name(of: mutation.key)
        }
        for transform in mutation.transforms {
            proto.updateTransforms.append(
                try at(transform.field.canonicalString, encode(transform)))
        }
        if let condition = Self.encode(mutation.precondition) {
            proto.currentDocument = condition
        }
        return proto
    }

    /// Reads a write. The old form, a transform by itself, becomes a patch of no field with transforms.
    ///
    /// - Throws: `CodecError` for a missing operation, or a part that the codec cannot read.
    package func decode(_ proto: ProtoWrite) throws(CodecError) -> Mutation {
        let precondition =
            try at("current_document", Self.decode(proto.hasCurrentDocument, proto.currentDocument))
        var transforms = try Self.each("update_transforms", proto.updateTransforms) {
            proto throws(CodecError) in try decode(proto)
        }
        let key: DocumentKey
        let kind: Mutation.Kind
        switch proto.operation {
        case .update(let document):
            key = try at("update.name", self.key(fromName: document.name))
            let fields = try at("update.fields", decode(document.fields))
            if proto.hasUpdateMask {
                kind = .patch(fields, try at("update_mask", Self.decode(proto.updateMask)))
            } else {
                kind = .set(fields)
            }
        case .delete(let name):
            key = try at("delete", self.key(fromName: name))
            kind = .delete
        case .verify(let name):
            key = try at("verify", self.key(fromName: name))
            kind = .verify
        case .transform(let transform):
            key = try at("transform.document", self.key(fromName: transform.document))
            kind = .patch(.empty, .empty)
            transforms += try Self.each(
                "transform.field_transforms", transform.fieldTransforms
            ) { proto throws(CodecError) in try decode(proto) }
        case nil:
            throw CodecError(.missing, at: "operation")
        }
        return Mutation(
            key: key, kind: kind, precondition: precondition, transforms: transforms)
    }

    private func encode(
        _ fields: MapValue, of key: DocumentKey
    ) throws(CodecError) -> ProtoDocument {
        var proto = ProtoDocument()
        proto.name = name(of: key)
        proto.fields = try encode(fields)
        return proto
    }
}

/// Masks and preconditions.
extension FirestoreCodec {
    /// The message of a mask.
    package static func encode(_ mask: FieldMask) -> ProtoDocumentMask {
        var proto = ProtoDocumentMask()
        proto.fieldPaths = mask.paths.map(\.canonicalString)
        return proto
    }

    /// Reads a mask.
    ///
    /// - Throws: `CodecError`, `badName`, for a field path that the codec cannot read.
    package static func decode(_ proto: ProtoDocumentMask) throws(CodecError) -> FieldMask {
        FieldMask(try each("field_paths", proto.fieldPaths, fieldPath))
    }

    /// The message of a precondition; `nil` for none.
    package static func encode(_ precondition: Precondition) -> ProtoPrecondition? {
        var proto = ProtoPrecondition()
        switch precondition {
        case .none: return nil
        case .exists(let exists): proto.exists = exists
        case .updateTime(let version): proto.updateTime = encode(version.timestamp)
        }
        return proto
    }

    /// Reads a precondition; one without a condition is none.
    ///
    /// - Throws: `CodecError`, `outOfRange`, for a time outside the years 1 to 9999.
    package static func decode(_ proto: ProtoPrecondition) throws(CodecError) -> Precondition {
        switch proto.conditionType {
        case .exists(let exists): return .exists(exists)
        case .updateTime(let time):
            return .updateTime(SnapshotVersion(try at("update_time", decode(time))))
        case nil: return .none
        }
    }

    private static func decode(
        _ isSet: Bool, _ proto: ProtoPrecondition
    ) throws(CodecError) -> Precondition {
        isSet ? try decode(proto) : .none
    }
}

extension FirestoreCodec {
    /// The message of a transform.
    ///
    /// - Throws: `CodecError` for a value that no message can hold.
    package func encode(
        _ transform: FieldTransform
    ) throws(CodecError) -> ProtoDocumentTransform.FieldTransform {
        var proto = ProtoDocumentTransform.FieldTransform()
        proto.fieldPath = transform.field.canonicalString
        switch transform.operation {
        case .serverTimestamp: proto.setToServerValue = .requestTime
        case .increment(let operand): proto.increment = try encode(operand)
        case .maximum(let operand): proto.maximum = try encode(operand)
        case .minimum(let operand): proto.minimum = try encode(operand)
        case .arrayUnion(let elements): proto.appendMissingElements = try encode(elements)
        case .arrayRemove(let elements): proto.removeAllFromArray = try encode(elements)
        }
        return proto
    }

    /// Reads a transform.
    ///
    /// - Throws: `CodecError` for a part that the codec cannot read; `tooDeep` for a result that no
    ///   document can hold.
    package func decode(
        _ proto: ProtoDocumentTransform.FieldTransform
    ) throws(CodecError) -> FieldTransform {
        try Self.checked(
            FieldTransform(
                field: try at("field_path", Self.fieldPath(proto.fieldPath)),
                operation: try operation(of: proto)))
    }

    /// Refuses a transform whose result could not be held: every name of its path but the last makes a map
    /// around it.
    static func checked(_ transform: FieldTransform) throws(CodecError) -> FieldTransform {
        let own =
            switch transform.operation {
            case .increment, .maximum, .minimum: 0
            case .serverTimestamp: 1  // While it is pending, a map says so.
            case .arrayUnion(let elements), .arrayRemove(let elements):
                Value.array(elements).nesting
            }
        guard transform.field.count - 1 + own <= nestingMax else {
            throw CodecError(.tooDeep, at: "field_path")
        }
        return transform
    }

    private func operation(
        of proto: ProtoDocumentTransform.FieldTransform
    ) throws(CodecError) -> FieldTransform.Operation {
        switch proto.transformType {
        case .setToServerValue(let value):
            guard value == .requestTime else {
                throw CodecError(.unknown(value: "\(value.rawValue)"), at: "set_to_server_value")
            }
            return .serverTimestamp
        case .increment(let operand): return .increment(try at("increment", number(operand)))
        case .maximum(let operand): return .maximum(try at("maximum", number(operand)))
        case .minimum(let operand): return .minimum(try at("minimum", number(operand)))
        case .appendMissingElements(let array):
            return .arrayUnion(try at("append_missing_elements", decode(array)))
        case .removeAllFromArray(let array):
            return .arrayRemove(try at("remove_all_from_array", decode(array)))
        case nil:
            throw CodecError(.missing, at: "transform_type")
        }
    }

    private func number(_ proto: ProtoValue) throws(CodecError) -> Value {
        try Self.number(try decode(proto))
    }

    static func number(_ value: Value) throws(CodecError) -> Value {
        guard value.isNumber else {
            throw CodecError(.unsupported(reason: "the operand must be a number"))
        }
        return value
    }
}

/// What the backend answers to writes.
extension FirestoreCodec {
    /// The message of a write's result; a version of zero is left out.
    ///
    /// - Throws: `CodecError` for a value that no message can hold.
    package func encode(_ result: Mutation.Result) throws(CodecError) -> ProtoWriteResult {
        var proto = ProtoWriteResult()
        if result.version != .zero { proto.updateTime = Self.encode(result.version.timestamp) }
        proto.transformResults = try encode(result.transformResults).values
        return proto
    }

    /// Reads a write's result. Without a time, or with a time of zero, the write has the time of
    /// the commit.
    ///
    /// - Throws: `CodecError` for a time or a value that the codec cannot read.
    package func decode(
        _ proto: ProtoWriteResult, committedAt: SnapshotVersion
    ) throws(CodecError) -> Mutation.Result {
        let version = try at("update_time", Self.version(proto.hasUpdateTime, proto.updateTime))
        let results = try Self.each("transform_results", proto.transformResults) {
            proto throws(CodecError) in try decode(proto)
        }
        return Mutation.Result(
            version: version == .zero ? committedAt : version, transformResults: results)
    }

    /// Reads the results of a commit, with the commit's own time.
    ///
    /// - Throws: `CodecError` for a time or a result that the codec cannot read.
    package func decode(
        _ proto: ProtoCommitResponse
    ) throws(CodecError) -> (committedAt: SnapshotVersion, results: [Mutation.Result]) {
        try results(proto.writeResults, proto.hasCommitTime, proto.commitTime)
    }

    /// Reads the results of one batch of a write stream, with the commit's own time.
    ///
    /// The answer to the handshake is such a message too, without results and without a time.
    ///
    /// - Throws: `CodecError` for a time or a result that the codec cannot read.
    package func decode(
        _ proto: ProtoWriteResponse
    ) throws(CodecError) -> (committedAt: SnapshotVersion, results: [Mutation.Result]) {
        try results(proto.writeResults, proto.hasCommitTime, proto.commitTime)
    }

    private func results(
        _ protos: [ProtoWriteResult], _ hasTime: Bool, _ time: Google_Protobuf_Timestamp
    ) throws(CodecError) -> (committedAt: SnapshotVersion, results: [Mutation.Result]) {
        let committedAt = try at("commit_time", Self.version(hasTime, time))
        let results = try Self.each("write_results", protos) {
            proto throws(CodecError) in try decode(proto, committedAt: committedAt)
        }
        return (committedAt, results)
    }
}

/// Requests that carry writes.
extension FirestoreCodec {
    /// The messages of writes.
    ///
    /// - Throws: `CodecError` for a value that no message can hold.
    package func encode(_ mutations: [Mutation]) throws(CodecError) -> [ProtoWrite] {
        try Self.each("writes", mutations) { mutation throws(CodecError) in
            try encode(mutation)
        }
    }

    /// The request that sends one batch on a write stream, or none to say goodbye.
    ///
    /// - Throws: `CodecError` for a value that no message can hold.
    package func encode(
        _ mutations: [Mutation], token: [UInt8]
    ) throws(CodecError) -> ProtoWriteRequest {
        var proto = ProtoWriteRequest()
        proto.streamToken = ProtoBytes.makeData(token)
        proto.writes = try encode(mutations)
        return proto
    }
}
