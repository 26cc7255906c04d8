package import HearthModel

/// Writes to bytes and back, without the generated messages between.
extension FirestoreCodec {
    /// A write's bytes, as the store keeps them.
    ///
    /// - Throws: As `encode(_: Mutation)`.
    package func mutationBytes(_ mutation: Mutation) throws(CodecError) -> [UInt8] {
        var writer = WireWriter()
        try write(mutation, to: &writer)
        return writer.bytes
    }

    /// The bytes of writes, one after the other.
    ///
    /// Shape: for each, length varint | google.firestore.v1.Write.
    ///
    /// - Throws: `CodecError` for a value that no message can hold.
    package func mutationBytes(_ mutations: [Mutation]) throws(CodecError) -> [UInt8] {
        var writer = WireWriter()
        for mutation in mutations {
            let start = writer.begin()
            try write(mutation, to: &writer)
            writer.end(start)
        }
        return writer.bytes
    }

    private func write(_ mutation: Mutation, to writer: inout WireWriter) throws(CodecError) {
        switch mutation.kind {
        case .set(let fields), .patch(let fields, _):
            let start = writer.begin(1)
            writer.string(1, name(of: mutation.key))
            try write(fields, field: 2, depth: 0, to: &writer)
            writer.end(start)
        case .delete: writer.string(2, name(of: mutation.key))
        case .verify: break  // Comes later, in the order of the fields' numbers.
        }
        if case .patch(_, let mask) = mutation.kind {
            let start = writer.begin(3)
            for path in mask.paths { writer.string(1, path.canonicalString) }
            writer.end(start)
        }
        Self.write(mutation.precondition, to: &writer)
        if mutation.kind == .verify { writer.string(5, name(of: mutation.key)) }
        for transform in mutation.transforms {
            let start = writer.begin(7)
            try at(transform.field.canonicalString, write(transform, to: &writer))
            writer.end(start)
        }
    }

    /// Reads a sequence of writes.
    ///
    /// - Throws: `CodecError` for bytes that are not a sequence of writes.
    package func mutations(
        fromBytes bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> [Mutation] {
        var reader = WireReader(bytes)
        var mutations: [Mutation] = []
        while !reader.isAtEnd { mutations.append(try mutation(fromBytes: reader.content())) }
        return mutations
    }

    /// Reads a write from its bytes.
    ///
    /// - Throws: As `decode(_: ProtoWrite)`.
    package func mutation(fromBytes bytes: [UInt8]) throws(CodecError) -> Mutation {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in try mutation(fromBytes: bytes) }
        }
        return try result.get()
    }

    /// Reads a write from borrowed bytes, such as a row's.
    ///
    /// - Throws: `CodecError` for bytes that are not a write.
    package func mutation(fromBytes bytes: UnsafeRawBufferPointer) throws(CodecError) -> Mutation {
        var reader = WireReader(bytes)
        var key: DocumentKey?
        var kind: Mutation.Kind?
        var mask: FieldMask?
        var precondition = Precondition.none
        var transforms: [FieldTransform] = []
        while let (number, wireKind) = try reader.next() {
            switch (number, wireKind) {
            case (1, .lengthDelimited):
                let document = try at("update", document(fromBytes: reader.content()))
                key = document.key
                kind = .set(document.fields)
            case (2, .lengthDelimited):
                key = try at("delete", self.key(fromName: reader.string()))
                kind = .delete
            case (3, .lengthDelimited):
                mask = try at("update_mask", Self.readMask(reader.message()))
            case (4, .lengthDelimited):
                precondition = try at(
                    "current_document", Self.readPrecondition(reader.message()))
            case (5, .lengthDelimited):
                key = try at("verify", self.key(fromName: reader.string()))
                kind = .verify
            case (6, .lengthDelimited):
                // The old form of a transform, which we never write.
                return try decode(try Self.read(ProtoWrite.self, from: [UInt8](bytes)))
            case (7, .lengthDelimited):
                let transform = try reader.message()
                transforms.append(
                    try at(
                        "update_transforms[\(transforms.count)]", readTransform(transform)))
            default:
                try reader.skip(wireKind)
            }
        }
        guard let key, var kind else { throw CodecError(.missing, at: "operation") }
        if case .set(let fields) = kind, let mask { kind = .patch(fields, mask) }
        return Mutation(
            key: key, kind: kind, precondition: precondition, transforms: transforms)
    }
}

extension FirestoreCodec {
    private static func write(_ precondition: Precondition, to writer: inout WireWriter) {
        switch precondition {
        case .none: return
        case .exists(let exists):
            let start = writer.begin(4)
            writer.varint(1, exists ? 1 : 0)
            writer.end(start)
        case .updateTime(let version):
            let start = writer.begin(4)
            write(version.timestamp, field: 2, to: &writer)
            writer.end(start)
        }
    }

    private func write(
        _ transform: FieldTransform, to writer: inout WireWriter
    ) throws(CodecError) {
        writer.string(1, transform.field.canonicalString)
        switch transform.operation {
        case .serverTimestamp: writer.varint(2, 1)
        case .increment(let operand): try write(operand, field: 3, to: &writer)
        case .maximum(let operand): try write(operand, field: 4, to: &writer)
        case .minimum(let operand): try write(operand, field: 5, to: &writer)
        case .arrayUnion(let elements): try write(elements, field: 6, depth: 0, to: &writer)
        case .arrayRemove(let elements): try write(elements, field: 7, depth: 0, to: &writer)
        }
    }

    private static func readMask(_ reader: WireReader) throws(CodecError) -> FieldMask {
        var reader = reader
        var paths: [FieldPath] = []
        while let (number, kind) = try reader.next() {
            if case (1, .lengthDelimited) = (number, kind) {
                paths.append(try fieldPath(try reader.string()))
            } else {
                try reader.skip(kind)
            }
        }
        return FieldMask(paths)
    }

    private static func readPrecondition(
        _ reader: WireReader
    ) throws(CodecError) -> Precondition {
        var reader = reader
        var precondition = Precondition.none
        while let (number, kind) = try reader.next() {
            switch (number, kind) {
            case (1, .varint): precondition = .exists(try reader.varint() != 0)
            case (2, .lengthDelimited):
                let time = try at("update_time", readTimestamp(reader.message()))
                precondition = .updateTime(SnapshotVersion(time))
            default: try reader.skip(kind)
            }
        }
        return precondition
    }

    private func readTransform(_ reader: WireReader) throws(CodecError) -> FieldTransform {
        var reader = reader
        var field: FieldPath?
        var operation: FieldTransform.Operation?
        while let (number, kind) = try reader.next() {
            switch (number, kind) {
            case (1, .lengthDelimited):
                field = try at("field_path", Self.fieldPath(reader.string()))
            case (2, .varint):
                let value = try reader.varint()
                guard value == 1 else {
                    throw CodecError(.unknown(value: "\(value)"), at: "set_to_server_value")
                }
                operation = .serverTimestamp
            case (3, .lengthDelimited):
                operation = .increment(try at("increment", readNumber(reader.message())))
            case (4, .lengthDelimited):
                operation = .maximum(try at("maximum", readNumber(reader.message())))
            case (5, .lengthDelimited):
                operation = .minimum(try at("minimum", readNumber(reader.message())))
            case (6, .lengthDelimited):
                operation = .arrayUnion(
                    try at("append_missing_elements", readArray(reader.message(), depth: 0)))
            case (7, .lengthDelimited):
                operation = .arrayRemove(
                    try at("remove_all_from_array", readArray(reader.message(), depth: 0)))
            default: try reader.skip(kind)
            }
        }
        guard let field else { throw CodecError(.missing, at: "field_path") }
        guard let operation else { throw CodecError(.missing, at: "transform_type") }
        return try Self.checked(FieldTransform(field: field, operation: operation))
    }

    private func readNumber(_ reader: WireReader) throws(CodecError) -> Value {
        try Self.number(try readValue(reader, depth: 0))
    }
}
