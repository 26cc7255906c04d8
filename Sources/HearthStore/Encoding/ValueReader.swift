import HearthFirestore
import HearthModel
import HearthProtocol

/// Reads values of `google.firestore.v1` straight from their bytes, as fast as a scan needs.
///
/// `FirestoreCodec` wrote them and says what they mean; this only takes a shorter way back.
struct ValueReader: Sendable {
    private let codec: FirestoreCodec

    /// Reads values of one database.
    init(_ codec: FirestoreCodec) {
        self.codec = codec
    }

    /// Reads a `Value` message.
    func value(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Value {
        var cursor = ProtoCursor(bytes)
        var result: Value?
        while let tag = try cursor.tag() {
            switch (tag.field, tag.wireType) {
            case (1, 0): result = .boolean(try cursor.varint() != 0)
            case (2, 0): result = .integer(Int64(bitPattern: try cursor.varint()))
            case (3, 1): result = .double(try cursor.double())
            case (5, 2): result = .reference(try reference(try cursor.bytes()))
            case (6, 2): result = .map(try map(try cursor.bytes()))
            case (8, 2): result = .geoPoint(try geoPoint(try cursor.bytes()))
            case (9, 2): result = .array(try array(try cursor.bytes()))
            case (10, 2): result = .timestamp(try Self.timestamp(try cursor.bytes()))
            case (11, 0):
                _ = try cursor.varint()
                result = .null
            case (17, 2): result = .string(Self.string(try cursor.bytes()))
            case (18, 2): result = .bytes([UInt8](try cursor.bytes()))
            default: try cursor.skip(tag)
            }
        }
        guard let result else { throw .damaged("a value without a type") }
        return result
    }

    /// Reads one entry of a map: its name and the bytes of its value.
    static func entry(_ bytes: UnsafeRawBufferPointer) throws(StoreError)
        -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    {
        var cursor = ProtoCursor(bytes)
        var key = UnsafeRawBufferPointer(start: nil, count: 0)
        var value = key
        while let tag = try cursor.tag() {
            switch (tag.field, tag.wireType) {
            case (1, 2): key = try cursor.bytes()
            case (2, 2): value = try cursor.bytes()
            default: try cursor.skip(tag)
            }
        }
        return (key, value)
    }

    /// Reads a string.
    static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a `Timestamp` message.
    static func timestamp(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Timestamp {
        var cursor = ProtoCursor(bytes)
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
        while let tag = try cursor.tag() {
            switch (tag.field, tag.wireType) {
            case (1, 0): seconds = Int64(bitPattern: try cursor.varint())
            case (2, 0): nanoseconds = Int64(bitPattern: try cursor.varint())
            default: try cursor.skip(tag)
            }
        }
        guard (0..<1_000_000_000).contains(nanoseconds) else {
            throw .damaged("\(nanoseconds) ns in a second")
        }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    private func map(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> MapValue {
        var cursor = ProtoCursor(bytes)
        var entries: [MapValue.Entry] = []
        while let tag = try cursor.tag() {
            guard tag.field == 1, tag.wireType == 2 else {
                try cursor.skip(tag)
                continue
            }
            let entry = try Self.entry(try cursor.bytes())
            entries.append(.init(key: Self.string(entry.key), value: try value(entry.value)))
        }
        return MapValue(entries: entries)
    }

    private func array(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> [Value] {
        var cursor = ProtoCursor(bytes)
        var elements: [Value] = []
        while let tag = try cursor.tag() {
            if tag.field == 1, tag.wireType == 2 {
                elements.append(try value(try cursor.bytes()))
            } else {
                try cursor.skip(tag)
            }
        }
        return elements
    }

    private func geoPoint(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> GeoPoint {
        var cursor = ProtoCursor(bytes)
        var latitude = 0.0
        var longitude = 0.0
        while let tag = try cursor.tag() {
            switch (tag.field, tag.wireType) {
            case (1, 1): latitude = try cursor.double()
            case (2, 1): longitude = try cursor.double()
            default: try cursor.skip(tag)
            }
        }
        return GeoPoint(latitude: latitude, longitude: longitude)
    }

    private func reference(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> DocumentName {
        do throws(CodecError) {
            return try codec.reference(fromName: Self.string(bytes))
        } catch {
            throw .damaged(error.description)
        }
    }
}
