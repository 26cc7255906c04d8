package import HearthModel

/// The writes of a `CommitRequest` or a `BatchWriteRequest`, read straight from its bytes.
///
/// Generated messages cost several allocations for each value, which was a third of a bulk load's
/// time. `PlainWrites` reads the writes that programs send most: sets, patches and deletes, with or
/// without a precondition. The generated messages read every other request, and report the errors
/// of malformed requests. So `PlainWrites` has no errors of its own. Its tests compare its results
/// with the generated messages' results.
package struct PlainWrites {
    /// The database that the request is for.
    package let database: DatabaseID
    /// The writes in the order of the request.
    package let mutations: [Mutation]

    /// Reads a request from its bytes, which need not outlive the call.
    ///
    /// - Returns: `nil` for a request with unusual parts, whether the request is valid or not.
    package init?(_ request: UnsafeRawBufferPointer) {
        guard let found = try? PlainWriteReader.read(WireReader(request)) else { return nil }
        (database, mutations) = found
    }
}

/// Reads the parts of a request for `PlainWrites`.
private struct PlainWriteReader {
    /// The request has a part that only the generated messages can read.
    private struct Unusual: Error {}

    /// The deepest nesting of arrays and maps that `PlainWriteReader` reads.
    ///
    /// The backend refuses deeper values.
    private static let depthMax = 20

    private static let slash = UInt8(ascii: "/")

    /// The name of the database. The names of the database's documents begin with this name.
    private let prefix: UnsafeRawBufferPointer

    /// Shape: database 1 | writes 2, repeated.
    static func read(_ request: WireReader) throws -> (DatabaseID, [Mutation]) {
        var request = request
        guard let (number, kind) = try request.next(), number == 1, kind == .lengthDelimited else {
            throw Unusual()
        }
        let reader = PlainWriteReader(prefix: try request.content())
        var mutations: [Mutation] = []
        while let (number, kind) = try request.next() {
            guard number == 2, kind == .lengthDelimited else { throw Unusual() }
            mutations.append(try reader.write(try request.message()))
        }
        return (try reader.database(), mutations)
    }

    /// Shape: `projects/P/databases/D`.
    private func database() throws -> DatabaseID {
        let parts = prefix.split(separator: Self.slash, omittingEmptySubsequences: false)
        guard prefix.count <= NameReader.byteCountMax, parts.count == 4,
            parts[0].elementsEqual("projects".utf8),
            parts[2].elementsEqual("databases".utf8), !parts[1].isEmpty, !parts[3].isEmpty
        else { throw Unusual() }
        return DatabaseID(
            project: try WireReader.string(UnsafeRawBufferPointer(rebasing: parts[1])),
            database: try WireReader.string(UnsafeRawBufferPointer(rebasing: parts[3])))
    }

    /// Shape: update 1 or delete 2 | update_mask 3 | current_document 4, each once at most.
    private func write(_ message: WireReader) throws -> Mutation {
        var message = message
        var key: DocumentKey?
        var fields: MapValue?
        var mask: FieldMask?
        var precondition: Precondition?
        while let (number, kind) = try message.next() {
            guard kind == .lengthDelimited else { throw Unusual() }
            switch number {
            case 1 where key == nil:
                let document = try document(try message.message())
                (key, fields) = (document.0, document.1)
            case 2 where key == nil: key = try self.key(try message.content())
            case 3 where mask == nil: mask = try Self.mask(try message.message())
            case 4 where precondition == nil:
                precondition = try Self.precondition(try message.message())
            default: throw Unusual()
            }
        }
        guard let key, fields != nil || mask == nil else { throw Unusual() }
        let kind: Mutation.Kind =
            fields.map { fields in
                // Each path of a mask is looked up, and a look-up reads all packed fields before it.
                mask.map { .patch(MapValue(entries: fields.entries), $0) } ?? .set(fields)
            } ?? .delete
        return Mutation(key: key, kind: kind, precondition: precondition ?? .none)
    }

    /// Shape: name 1 | fields 2, repeated.
    private func document(_ message: WireReader) throws -> (DocumentKey, MapValue) {
        var message = message
        var key: DocumentKey?
        var entries: [MapValue.Entry] = []
        while let (number, kind) = try message.next() {
            guard kind == .lengthDelimited else { throw Unusual() }
            switch number {
            case 1 where key == nil:
                let found = try self.key(try message.content())
                if entries.isEmpty, let fields = PackedFields(wire: message.rest) {
                    return (found, MapValue(fields))
                }
                key = found
            case 2: entries.append(try Self.entry(try message.message(), depth: 0))
            default: throw Unusual()
            }
        }
        guard let key else { throw Unusual() }
        return (key, MapValue(entries: entries))
    }

    private func key(_ name: UnsafeRawBufferPointer) throws -> DocumentKey {
        guard name.starts(with: prefix) else { throw Unusual() }
        let rest = name.dropFirst(prefix.count)
        guard rest.starts(with: "/documents/".utf8) else { throw Unusual() }
        let path = UnsafeRawBufferPointer(rebasing: rest.dropFirst("/documents/".utf8.count))
        guard path.first != Self.slash, path.last != Self.slash else { throw Unusual() }
        return try DocumentKey(parsing: try WireReader.string(path))
    }

    /// Shape: field_paths 1, repeated.
    private static func mask(_ message: WireReader) throws -> FieldMask {
        var message = message
        var paths: [FieldPath] = []
        while let (number, kind) = try message.next() {
            guard number == 1, kind == .lengthDelimited else { throw Unusual() }
            paths.append(try RequestReader.fieldPath(try message.string()))
        }
        return FieldMask(paths)
    }

    /// Shape: exists 1 or update_time 2, or nothing.
    private static func precondition(_ message: WireReader) throws -> Precondition {
        var message = message
        var found: Precondition?
        while let (number, kind) = try message.next() {
            guard found == nil else { throw Unusual() }
            switch (number, kind) {
            case (1, .varint): found = .exists(try message.varint() != 0)
            case (2, .lengthDelimited):
                found = .updateTime(SnapshotVersion(try time(try message.message())))
            default: throw Unusual()
            }
        }
        return found ?? .none
    }
}

/// Values.
extension PlainWriteReader {
    /// Shape: key 1 | value 2.
    private static func entry(_ message: WireReader, depth: Int) throws -> MapValue.Entry {
        var message = message
        var key: String?
        var value: Value?
        while let (number, kind) = try message.next() {
            guard kind == .lengthDelimited else { throw Unusual() }
            switch number {
            case 1 where key == nil: key = try message.string()
            case 2 where value == nil:
                value = try self.value(try message.message(), depth: depth)
            default: throw Unusual()
            }
        }
        guard let value else { throw Unusual() }
        return MapValue.Entry(key: key ?? "", value: value)
    }

    /// Shape: one member of the oneof.
    private static func value(_ message: WireReader, depth: Int) throws -> Value {
        var message = message
        guard let (number, kind) = try message.next() else { throw Unusual() }
        let value: Value
        switch (number, kind) {
        case (1, .varint): value = .boolean(try message.varint() != 0)
        case (2, .varint): value = .integer(Int64(bitPattern: try message.varint()))
        case (3, .fixed64): value = .double(Double(bitPattern: try message.fixed64()))
        case (5, .lengthDelimited):
            value = .reference(try NameReader.reference(try message.string()))
        case (6, .lengthDelimited): value = .map(try map(try message.message(), depth: depth + 1))
        case (8, .lengthDelimited): value = .geoPoint(try point(try message.message()))
        case (9, .lengthDelimited):
            value = .array(try array(try message.message(), depth: depth + 1))
        case (10, .lengthDelimited):
            value = .timestamp(try time(try message.message()).flooredToMicroseconds)
        case (11, .varint):
            _ = try message.varint()
            value = .null
        case (17, .lengthDelimited): value = .string(try message.string())
        case (18, .lengthDelimited): value = .bytes([UInt8](try message.content()))
        default: throw Unusual()
        }
        guard message.isAtEnd else { throw Unusual() }
        return value
    }

    /// Shape: fields 1, repeated.
    private static func map(_ message: WireReader, depth: Int) throws -> MapValue {
        var message = message
        var entries: [MapValue.Entry] = []
        while let (number, kind) = try message.next() {
            guard number == 1, kind == .lengthDelimited, depth <= depthMax else { throw Unusual() }
            entries.append(try entry(try message.message(), depth: depth))
        }
        return MapValue(entries: entries)
    }

    /// Shape: values 1, repeated.
    private static func array(_ message: WireReader, depth: Int) throws -> [Value] {
        var message = message
        var elements: [Value] = []
        while let (number, kind) = try message.next() {
            guard number == 1, kind == .lengthDelimited, depth <= depthMax else { throw Unusual() }
            elements.append(try value(try message.message(), depth: depth))
        }
        return elements
    }

    /// Shape: latitude 1 | longitude 2; a missing field is zero.
    private static func point(_ message: WireReader) throws -> GeoPoint {
        var message = message
        var (latitude, longitude) = (0.0, 0.0)
        while let (number, kind) = try message.next() {
            switch (number, kind) {
            case (1, .fixed64): latitude = Double(bitPattern: try message.fixed64())
            case (2, .fixed64): longitude = Double(bitPattern: try message.fixed64())
            default: throw Unusual()
            }
        }
        return GeoPoint(latitude: latitude, longitude: longitude)
    }

    /// Shape: seconds 1 | nanos 2; a missing field is zero.
    private static func time(_ message: WireReader) throws -> Timestamp {
        var message = message
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
        while let (number, kind) = try message.next() {
            switch (number, kind) {
            case (1, .varint): seconds = Int64(bitPattern: try message.varint())
            case (2, .varint): nanoseconds = Int64(bitPattern: try message.varint())
            default: throw Unusual()
            }
        }
        guard Timestamp.secondsRange.contains(seconds),
            (0..<1_000_000_000).contains(nanoseconds)
        else { throw Unusual() }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }
}
