import HearthModel

// Values to bytes and back; of messages, only what stands between their tag and the next.

extension FirestoreCodec {
    func write(
        _ fields: MapValue, field: UInt8, depth: Int, to writer: inout WireWriter
    ) throws(CodecError) {
        // Only a document has packed fields. A codec with a stand-in writes references otherwise.
        if let packed = fields.packedFields, field == 2, standIn == nil {
            return packed.withWireBytes { writer.fields($0) }
        }
        for entry in fields.entries {
            let start = writer.begin(field)
            writer.string(1, entry.key)
            let value = writer.begin(2)
            do throws(CodecError) {
                try write(entry.value, depth: depth, to: &writer)
            } catch {
                throw error.inside(entry.key)
            }
            writer.end(value)
            writer.end(start)
        }
    }

    func write(
        _ value: Value, depth: Int, to writer: inout WireWriter
    ) throws(CodecError) {
        switch value {
        case .null: writer.varint(11, 0)
        case .boolean(let flag): writer.varint(1, flag ? 1 : 0)
        case .integer(let number): writer.varint(2, UInt64(bitPattern: number))
        case .double(let number): writer.fixed64(3, number.bitPattern)
        case .timestamp(let time): Self.write(time, field: 10, to: &writer)
        case .serverTimestamp(let pending):
            try write(.map(try map(for: pending)), depth: depth, to: &writer)
        case .string(let text): writer.string(17, text)
        case .bytes(let bytes): writer.data(18, bytes)
        case .reference(let name): writer.string(5, self.name(of: name))
        case .geoPoint(let point):
            let start = writer.begin(8)
            // A reader takes a field that is not written for zero. Negative zero must be written.
            if point.latitude.bitPattern != 0 { writer.fixed64(1, point.latitude.bitPattern) }
            if point.longitude.bitPattern != 0 { writer.fixed64(2, point.longitude.bitPattern) }
            writer.end(start)
        case .array(let elements):
            try write(elements, field: 9, depth: depth, to: &writer)
        case .map(let map):
            guard depth < Self.nestingMax else { throw CodecError(.tooDeep) }
            let start = writer.begin(6)
            try write(map, field: 1, depth: depth + 1, to: &writer)
            writer.end(start)
        }
    }

    func write(
        _ elements: [Value], field: UInt8, depth: Int, to writer: inout WireWriter
    ) throws(CodecError) {
        guard depth < Self.nestingMax else { throw CodecError(.tooDeep) }
        let start = writer.begin(field)
        for element in elements {
            let inner = writer.begin(1)
            try write(element, depth: depth + 1, to: &writer)
            writer.end(inner)
        }
        writer.end(start)
    }

    func write(_ value: Value, field: UInt8, to writer: inout WireWriter) throws(CodecError) {
        let start = writer.begin(field)
        try write(value, depth: 0, to: &writer)
        writer.end(start)
    }

    static func write(_ time: Timestamp, field: UInt8, to writer: inout WireWriter) {
        let start = writer.begin(field)
        if time.seconds != 0 { writer.varint(1, UInt64(bitPattern: time.seconds)) }
        if time.nanoseconds != 0 { writer.varint(2, UInt64(time.nanoseconds)) }
        writer.end(start)
    }
}

extension FirestoreCodec {
    /// The name of a field and its value, both unread.
    static func entryParts(
        _ reader: WireReader
    ) throws(CodecError) -> (key: UnsafeRawBufferPointer, value: WireReader?) {
        var reader = reader
        var key = UnsafeRawBufferPointer(start: nil, count: 0)
        var value: WireReader?
        while let (number, kind) = try reader.next() {
            switch (number, kind) {
            case (1, .lengthDelimited): key = try reader.content()
            case (2, .lengthDelimited): value = try reader.message()
            default: try reader.skip(kind)
            }
        }
        return (key, value)
    }

    func readEntry(_ reader: WireReader, depth: Int) throws(CodecError) -> MapValue.Entry {
        let entry = try Self.entryParts(reader)
        let name = try WireReader.string(entry.key)
        return MapValue.Entry(key: name, value: try at(name, readValue(entry.value, depth: depth)))
    }

    func readValue(_ reader: WireReader?, depth: Int) throws(CodecError) -> Value {
        var value: Value?
        if var reader {
            while let (number, kind) = try reader.next() {
                value = try readMember(number, kind, from: &reader, depth: depth) ?? value
            }
        }
        guard let value else { throw CodecError(.missing, at: "value_type") }
        return value
    }

    /// Reads one member of a value's oneof; `nil` if the field is none.
    func readMember(
        _ number: UInt64, _ kind: WireReader.Kind, from reader: inout WireReader, depth: Int
    ) throws(CodecError) -> Value? {
        switch (number, kind) {
        case (1, .varint): return .boolean(try reader.varint() != 0)
        case (2, .varint): return .integer(Int64(bitPattern: try reader.varint()))
        case (3, .fixed64): return .double(Double(bitPattern: try reader.fixed64()))
        case (5, .lengthDelimited): return .reference(try reference(fromName: reader.string()))
        case (6, .lengthDelimited):
            let map = try readMap(reader.message(), depth: depth)
            return try pending(in: map).map(Value.serverTimestamp) ?? .map(map)
        case (8, .lengthDelimited): return .geoPoint(try Self.readGeoPoint(reader.message()))
        case (9, .lengthDelimited): return .array(try readArray(reader.message(), depth: depth))
        case (10, .lengthDelimited): return .timestamp(try Self.readTimestamp(reader.message()))
        case (11, .varint):
            _ = try reader.varint()
            return .null
        case (17, .lengthDelimited): return .string(try reader.string())
        case (18, .lengthDelimited): return .bytes([UInt8](try reader.content()))
        case (19...22, .lengthDelimited):
            throw CodecError(.unsupported(reason: "only a pipeline has such values"))
        default:
            try reader.skip(kind)
            return nil
        }
    }

    func readMap(_ reader: WireReader, depth: Int) throws(CodecError) -> MapValue {
        guard depth < Self.nestingMax else { throw CodecError(.tooDeep) }
        var reader = reader
        var entries: [MapValue.Entry] = []
        while let (number, kind) = try reader.next() {
            guard number == 1, kind == .lengthDelimited else {
                try reader.skip(kind)
                continue
            }
            entries.append(try readEntry(reader.message(), depth: depth + 1))
        }
        return MapValue(entries: entries)
    }

    func readArray(_ reader: WireReader, depth: Int) throws(CodecError) -> [Value] {
        guard depth < Self.nestingMax else { throw CodecError(.tooDeep) }
        var reader = reader
        var elements: [Value] = []
        while let (number, kind) = try reader.next() {
            guard number == 1, kind == .lengthDelimited else {
                try reader.skip(kind)
                continue
            }
            let element = try reader.message()
            elements.append(try at("\(elements.count)", readValue(element, depth: depth + 1)))
        }
        return elements
    }

    static func readGeoPoint(_ reader: WireReader) throws(CodecError) -> GeoPoint {
        var reader = reader
        var latitude = 0.0
        var longitude = 0.0
        while let (number, kind) = try reader.next() {
            switch (number, kind) {
            case (1, .fixed64): latitude = Double(bitPattern: try reader.fixed64())
            case (2, .fixed64): longitude = Double(bitPattern: try reader.fixed64())
            default: try reader.skip(kind)
            }
        }
        return try checked(GeoPoint(latitude: latitude, longitude: longitude))
    }

    static func readTimestamp(_ reader: WireReader) throws(CodecError) -> Timestamp {
        var reader = reader
        var seconds: Int64 = 0
        var nanoseconds: Int32 = 0
        while let (number, kind) = try reader.next() {
            switch (number, kind) {
            case (1, .varint): seconds = Int64(bitPattern: try reader.varint())
            case (2, .varint): nanoseconds = Int32(truncatingIfNeeded: try reader.varint())
            default: try reader.skip(kind)
            }
        }
        return try timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
}
