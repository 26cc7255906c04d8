package import HearthModel
package import SwiftProtobuf

extension FirestoreCodec {
    /// The full name of a document.
    package func name(of key: DocumentKey) -> String {
        documentsPrefix + key.path.string
    }

    /// The full name of a path, which may be the root.
    package func name(of path: ResourcePath) -> String {
        path.isEmpty ? database.documentsName : documentsPrefix + path.string
    }

    /// The full name of a document or path of any database, as a reference value holds it.
    func name(of reference: DocumentName) -> String {
        guard let standIn, reference.database == standIn else { return reference.description }
        return name(of: reference.path)
    }

    /// Reads the full name of a document of this database.
    ///
    /// - Throws: `CodecError`, `badName`, for a name of another database or not of a document.
    package func key(fromName name: String) throws(CodecError) -> DocumentKey {
        guard let key = DocumentKey(try path(fromName: name)) else {
            throw CodecError(.badName(name, reason: "a document has an even number of segments"))
        }
        return key
    }

    /// Reads the full name of a path of this database; `projects/P/databases/D/documents` is the root.
    ///
    /// - Throws: `CodecError`, `badName`, for a name of another database or a malformed path.
    package func path(fromName name: String) throws(CodecError) -> ResourcePath {
        guard let rest = Self.suffix(of: name, after: documentsPrefix) else {
            if utf8Equals(name, database.documentsName) { return .root }
            throw CodecError(
                .badName(name, reason: "it does not begin with \"\(database.documentsName)/\""))
        }
        return try Self.path(parsing: rest, of: name)
    }

    /// Reads the name of a document or path of any database, as a reference value holds it.
    ///
    /// - Throws: `CodecError`, `badName`, for a malformed name.
    package func reference(fromName name: String) throws(CodecError) -> DocumentName {
        if let rest = Self.suffix(of: name, after: documentsPrefix) {
            return DocumentName(database: database, path: try Self.path(parsing: rest, of: name))
        }
        guard let reference = DocumentName(name) else {
            throw CodecError(
                .badName(name, reason: "a reference is projects/P/databases/D/documents/..."))
        }
        if let standIn, reference.database == standIn {
            return DocumentName(database: database, path: reference.path)
        }
        return reference
    }

    /// Reads `projects/P/databases/D`.
    ///
    /// - Throws: `CodecError`, `badName`, for a name of any other form.
    package static func database(fromName name: String) throws(CodecError) -> DatabaseID {
        let parts = name.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].elementsEqual("projects".utf8),
            parts[2].elementsEqual("databases".utf8), !parts[1].isEmpty, !parts[3].isEmpty
        else {
            throw CodecError(.badName(name, reason: "a database is projects/P/databases/D"))
        }
        return DatabaseID(
            project: String(Substring(parts[1])), database: String(Substring(parts[3])))
    }

    /// Reads a field path in the backend's grammar: names of letters, digits and `_` that do not
    /// begin with a digit, others in backticks, joined by dots.
    ///
    /// - Throws: `CodecError`, `badName`, for a text of any other form.
    package static func fieldPath(_ text: String) throws(CodecError) -> FieldPath {
        guard FieldPathGrammar.accepts(text.utf8) else {
            throw CodecError(
                .badName(text, reason: "names other than [A-Za-z_][A-Za-z0-9_]* need backticks"))
        }
        do throws(PathError) {
            return try FieldPath(canonical: text)
        } catch {
            throw CodecError(.badName(text, reason: "\(error)"))
        }
    }

    /// The message of a moment.
    package static func encode(_ time: Timestamp) -> Google_Protobuf_Timestamp {
        Google_Protobuf_Timestamp(seconds: time.seconds, nanos: time.nanoseconds)
    }

    /// Reads a moment; Firestore's lie between the years 1 and 9999.
    ///
    /// - Throws: `CodecError`, `outOfRange`.
    package static func decode(
        _ time: Google_Protobuf_Timestamp
    ) throws(CodecError) -> Timestamp {
        try timestamp(seconds: time.seconds, nanoseconds: time.nanos)
    }

    static func timestamp(seconds: Int64, nanoseconds: Int32) throws(CodecError) -> Timestamp {
        guard Timestamp.secondsRange.contains(seconds), (0..<1_000_000_000).contains(nanoseconds)
        else { throw CodecError(.outOfRange(value: "\(seconds) s and \(nanoseconds) ns")) }
        return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }

    /// A message's time as a version, zero if it is not set.
    static func version(
        _ isSet: Bool, _ time: Google_Protobuf_Timestamp
    ) throws(CodecError) -> SnapshotVersion {
        isSet ? SnapshotVersion(try decode(time)) : .zero
    }

    private static func suffix(of name: String, after prefix: String) -> Substring.UTF8View? {
        let utf8 = name.utf8
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return utf8.dropFirst(prefix.utf8.count)
    }

    private static func path(
        parsing rest: Substring.UTF8View, of name: String
    ) throws(CodecError) -> ResourcePath {
        let slash = UInt8(ascii: "/")
        guard let first = rest.first, first != slash, rest.last != slash else {
            throw CodecError(.badName(name, reason: "a segment is empty"))
        }
        do throws(PathError) {
            return try ResourcePath(parsing: String(Substring(rest)))
        } catch {
            throw CodecError(.badName(name, reason: "a segment is empty"))
        }
    }
}

/// The backend's grammar of field paths.
enum FieldPathGrammar {
    /// Whether every segment is a plain name or stands in backticks, and none is empty.
    static func accepts(_ text: some Collection<UInt8>) -> Bool {
        var rest = text[...]
        while true {
            guard let end = segmentEnd(in: rest) else { return false }
            guard end < rest.endIndex else { return true }
            guard rest[end] == UInt8(ascii: ".") else { return false }
            rest = rest[rest.index(after: end)...]
        }
    }

    /// Where the first segment ends, or `nil` if it is no segment.
    private static func segmentEnd<C: Collection<UInt8>>(in text: C) -> C.Index? {
        guard let first = text.first else { return nil }
        if first == UInt8(ascii: "`") { return quotedEnd(in: text) }
        guard isNameByte(first), !isDigit(first) else { return nil }
        return text.firstIndex { !isNameByte($0) } ?? text.endIndex
    }

    private static func quotedEnd<C: Collection<UInt8>>(in text: C) -> C.Index? {
        let start = text.index(after: text.startIndex)
        var index = start
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "`"):
                return index == start ? nil : text.index(after: index)
            case UInt8(ascii: "\\"):
                index = text.index(after: index)
                guard index < text.endIndex else { return nil }
            default:
                break
            }
            index = text.index(after: index)
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower) || isDigit(byte)
            || byte == UInt8(ascii: "_")
    }
}
