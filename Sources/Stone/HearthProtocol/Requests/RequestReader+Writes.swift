package import HearthModel

extension RequestReader {
    /// Reads writes in their order.
    package func writes(_ protos: [ProtoWrite]) throws(HearthError) -> [Mutation] {
        var result: [Mutation] = []
        result.reserveCapacity(protos.count)
        for proto in protos { result.append(try write(proto)) }
        return result
    }

    /// Reads a write.
    package func write(_ proto: ProtoWrite) throws(HearthError) -> Mutation {
        let precondition = try Self.precondition(proto.hasCurrentDocument, proto.currentDocument)
        switch proto.operation {
        case .update(let document):
            return try update(
                document, proto.hasUpdateMask ? proto.updateMask : nil, precondition,
                try transforms(proto.updateTransforms))
        case .delete(let name):
            guard !proto.hasUpdateMask else {
                throw .argument("a delete must not specify a document mask.")
            }
            guard proto.updateTransforms.isEmpty else {
                throw .argument("a delete must not specify a update transform.")
            }
            return Mutation(
                key: try NameReader.document(name, in: database), kind: .delete,
                precondition: precondition)
        case .verify(let name):
            return Mutation(
                key: try NameReader.document(name, in: database), kind: .verify,
                precondition: precondition)
        case .transform(let transform):
            // The older form: only transforms, on a document that may be new.
            guard !transform.fieldTransforms.isEmpty else {
                throw .argument("The list of FieldTransform must not be empty.")
            }
            return Mutation(
                key: try NameReader.document(transform.document, in: database),
                kind: .patch(.empty, .empty), precondition: precondition,
                transforms: try transforms(transform.fieldTransforms))
        case nil:
            throw .argument("empty write operation")
        }
    }

    /// Reads an update of a whole document, or of the fields of a mask.
    ///
    /// - Parameters:
    ///   - proto: The document, with its name and the new fields.
    ///   - mask: The fields to change; `nil` replaces the document.
    ///   - precondition: What must hold of the document before the write.
    ///   - transforms: Changes that follow the update, such as increments.
    /// - Throws: `HearthError` `invalidArgument` for a name, a field path or a value that cannot
    ///   be.
    package func update(
        _ proto: ProtoDocument, _ mask: ProtoDocumentMask?, _ precondition: Precondition,
        _ transforms: [FieldTransform] = []
    ) throws(HearthError) -> Mutation {
        let key = try NameReader.document(proto.name, in: database)
        let fields = try fields(proto.fields)
        let kind: Mutation.Kind
        if let mask {
            kind = .patch(fields, FieldMask(try Self.fieldPaths(mask.fieldPaths)))
        } else {
            kind = .set(fields)
        }
        return Mutation(
            key: key, kind: kind, precondition: precondition, transforms: transforms)
    }

    /// Reads a precondition.
    package static func precondition(
        _ isSet: Bool, _ proto: ProtoPrecondition
    ) throws(HearthError) -> Precondition {
        guard isSet else { return .none }
        switch proto.conditionType {
        case .exists(let exists): return .exists(exists)
        case .updateTime(let time): return .updateTime(SnapshotVersion(try Self.time(time)))
        case nil: return .none
        }
    }

    private func transforms(
        _ protos: [ProtoDocumentTransform.FieldTransform]
    ) throws(HearthError) -> [FieldTransform] {
        var result: [FieldTransform] = []
        for proto in protos {
            result.append(
                FieldTransform(
                    field: try Self.fieldPath(proto.fieldPath), operation: try operation(proto)))
        }
        return result
    }

    private func operation(
        _ proto: ProtoDocumentTransform.FieldTransform
    ) throws(HearthError) -> FieldTransform.Operation {
        switch proto.transformType {
        case .setToServerValue(let value):
            guard value == .requestTime else {
                throw .argument(
                    "ServerValue type must be specified for set_to_server_value transformation.")
            }
            return .serverTimestamp
        case .increment(let operand): return .increment(try value(operand))
        case .maximum(let operand): return .maximum(try value(operand))
        case .minimum(let operand): return .minimum(try value(operand))
        case .appendMissingElements(let array): return .arrayUnion(try values(array.values))
        case .removeAllFromArray(let array): return .arrayRemove(try values(array.values))
        case nil:
            throw .argument("Operation type must be specified for field transformation.")
        }
    }
}
