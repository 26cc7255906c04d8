import HearthModel
import HearthProtocol

/// Writes the bytes of a message as JSON, by protobuf's JSON mapping.
///
/// Missing fields are left out. Fields come in the order of the table, entries of a map in the
/// order of the bytes.
struct ProtoToJSON {
    private var text: JSONText

    /// The JSON of one of the table's messages.
    ///
    /// - Throws: `internalError` for bytes that are no valid message.
    static func json(of bytes: [UInt8], as message: String) throws(HearthError) -> [UInt8] {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(HearthError) in
                var writer = ProtoToJSON(text: JSONText())
                do throws(CodecError) {
                    try writer.write(WireReader(bytes), as: .named(message))
                } catch {
                    throw HearthError(code: .internalError, message: "\(message): \(error)")
                }
                return writer.text.bytes
            }
        }
        return try result.get()
    }

    /// The content of a field in the bytes.
    private enum Content {
        case number(UInt64)
        case bytes(UnsafeRawBufferPointer)
    }

    private mutating func write(
        _ reader: WireReader, as schema: ProtoSchema
    ) throws(CodecError) {
        var found: [(place: Int, content: Content)] = []
        var reader = reader
        while let (number, kind) = try reader.next() {
            guard let place = schema.index(ofNumber: number) else {
                try reader.skip(kind)
                continue
            }
            switch kind {
            case .varint: found.append((place, .number(try reader.varint())))
            case .fixed64: found.append((place, .number(try reader.fixed64())))
            case .lengthDelimited: found.append((place, .bytes(try reader.content())))
            case .fixed32, .groupStart, .groupEnd: try reader.skip(kind)
            }
        }
        text.beginObject()
        for place in Set(found.map(\.place)).sorted() {
            let field = schema.fields[place]
            let contents = found.lazy.filter { $0.place == place }.map(\.content)
            text.name(field.name)
            if field.kind == .values {
                text.beginObject()
                for content in contents { try writeEntry(content) }
                text.endObject()
            } else if field.isRepeated {
                text.beginArray()
                for content in contents { try writeElements(content, field.kind) }
                text.endArray()
            } else if let last = Array(contents).last {
                try write(last, field.kind)
            }
        }
        text.endObject()
    }

    /// Writes one element, or whole numbers that are packed together.
    private mutating func writeElements(
        _ content: Content, _ kind: ProtoSchema.Kind
    ) throws(CodecError) {
        guard kind == .int32, case .bytes(let bytes) = content else {
            return try write(content, kind)
        }
        var reader = WireReader(bytes)
        while !reader.isAtEnd { try write(.number(try reader.varint()), kind) }
    }

    private mutating func writeEntry(_ content: Content) throws(CodecError) {
        var reader = WireReader(try Self.bytes(content))
        var key = ""
        var value = UnsafeRawBufferPointer(start: nil, count: 0)
        while let (number, kind) = try reader.next() {
            switch (number, kind) {
            case (1, .lengthDelimited): key = try reader.string()
            case (2, .lengthDelimited): value = try reader.content()
            default: try reader.skip(kind)
            }
        }
        text.name(key)
        try write(WireReader(value), as: .named("Value"))
    }

    private mutating func write(
        _ content: Content, _ kind: ProtoSchema.Kind
    ) throws(CodecError) {
        switch kind {
        case .boolean: text.boolean(try Self.number(content) != 0)
        case .int32: text.integer(Int64(bitPattern: try Self.number(content)))
        case .int64: text.string(String(Int64(bitPattern: try Self.number(content))))
        case .double: text.double(Double(bitPattern: try Self.number(content)))
        case .string: text.string(try WireReader.string(try Self.bytes(content)))
        case .bytes: text.string(Base64.encode([UInt8](try Self.bytes(content))))
        case .null: text.null()
        case .timestamp:
            let (seconds, nanoseconds) = try Self.time(content)
            text.string(Timestamp(seconds: seconds, nanoseconds: nanoseconds).description)
        case .duration:
            let (seconds, nanoseconds) = try Self.time(content)
            let digits = String(nanoseconds + 1_000_000_000).dropFirst()
            text.string(nanoseconds == 0 ? "\(seconds)s" : "\(seconds).\(digits)s")
        case .choice(let name):
            let number = try Self.number(content)
            if let known = ProtoSchema.choice(name)[number] {
                text.string(known)
            } else {
                text.integer(Int64(bitPattern: number))
            }
        case .message(let name):
            try write(WireReader(try Self.bytes(content)), as: .named(name))
        case .object:
            try writeObject(WireReader(try Self.bytes(content)))
        case .wrapped, .values, .labels:
            text.null()  // Answers hold these kinds only as map entries, written above.
        }
    }

    /// Writes a `google.protobuf.Struct`.
    private mutating func writeObject(_ reader: WireReader) throws(CodecError) {
        var reader = reader
        text.beginObject()
        while let (_, kind) = try reader.next() {
            guard kind == .lengthDelimited else {
                try reader.skip(kind)
                continue
            }
            var entry = try reader.message()
            var value: WireReader?
            while let (number, kind) = try entry.next() {
                switch (number, kind) {
                case (1, .lengthDelimited): text.name(try entry.string())
                case (2, .lengthDelimited): value = try entry.message()
                default: try entry.skip(kind)
                }
            }
            try writeMember(value)
        }
        text.endObject()
    }

    private mutating func writeMember(_ reader: WireReader?) throws(CodecError) {
        guard var reader, let (number, kind) = try reader.next() else { return text.null() }
        switch (number, kind) {
        case (2, .fixed64): text.double(Double(bitPattern: try reader.fixed64()))
        case (3, .lengthDelimited): text.string(try reader.string())
        case (4, .varint): text.boolean(try reader.varint() != 0)
        case (5, .lengthDelimited): try writeObject(try reader.message())
        default: text.null()
        }
    }

    private static func number(_ content: Content) throws(CodecError) -> UInt64 {
        guard case .number(let number) = content else { throw unexpected }
        return number
    }

    private static func bytes(_ content: Content) throws(CodecError) -> UnsafeRawBufferPointer {
        guard case .bytes(let bytes) = content else { throw unexpected }
        return bytes
    }

    private static func time(
        _ content: Content
    ) throws(CodecError) -> (seconds: Int64, nanoseconds: Int32) {
        var reader = WireReader(try bytes(content))
        var seconds: Int64 = 0
        var nanoseconds: Int32 = 0
        while let (number, kind) = try reader.next() {
            switch (number, kind) {
            case (1, .varint): seconds = Int64(bitPattern: try reader.varint())
            case (2, .varint): nanoseconds = Int32(truncatingIfNeeded: try reader.varint())
            default: try reader.skip(kind)
            }
        }
        guard (0..<1_000_000_000).contains(nanoseconds) else { throw unexpected }
        return (seconds, nanoseconds)
    }

    private static let unexpected = CodecError(.unreadable(type: "an answer"))
}
