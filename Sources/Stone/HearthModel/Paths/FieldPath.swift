/// The way to a field inside a document: one segment for each map on the way.
///
/// Canonical form: segments joined by dots; a segment that is not a plain identifier stands in
/// backticks, with backslash and backtick escaped.
package struct FieldPath: Hashable, Sendable, CustomStringConvertible {
    /// The names on the way. Never empty, except for `FieldPath.empty`.
    package let segments: [String]

    /// The document itself.
    package static let empty = FieldPath([])

    /// `__name__`, the name of the document's key in queries.
    package static let documentID = FieldPath(["__name__"])

    /// Takes segments as they are.
    package init(_ segments: [String]) {
        self.segments = segments
    }

    /// Reads the canonical, dotted form, and nothing looser: the backend refuses what this refuses.
    ///
    /// - Throws: `PathError.badFieldPath` for an empty segment, an open backtick, a backtick within
    ///   a segment, a backslash that escapes neither itself nor a backtick, or a segment that needs
    ///   backticks and has none.
    package init(canonical text: String) throws(PathError) {
        var segments: [String] = []
        var rest = text.utf8[...]
        while true {
            let segment: String
            if rest.first == UInt8(ascii: "`") {
                segment = try Self.quotedSegment(from: &rest, of: text)
            } else {
                segment = String(rest.prefix { $0 != UInt8(ascii: ".") }) ?? ""
                rest = rest.dropFirst(segment.utf8.count)
                guard segment.isEmpty || Self.isPlain(segment) else {
                    throw .badFieldPath(text, reason: "\"\(segment)\" must stand in backticks")
                }
            }
            guard !segment.isEmpty else {
                throw .badFieldPath(text, reason: "it has an empty segment")
            }
            segments.append(segment)
            guard let separator = rest.popFirst() else { break }
            guard separator == UInt8(ascii: ".") else {
                throw .badFieldPath(text, reason: "a backtick stands within a segment")
            }
        }
        self.segments = segments
    }

    /// Takes a segment in backticks, with both of them, off the front of `rest`.
    private static func quotedSegment(
        from rest: inout Substring.UTF8View, of text: String
    ) throws(PathError) -> String {
        var bytes: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "`"):
                return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(),
                    escaped == UInt8(ascii: "\\") || escaped == UInt8(ascii: "`")
                else {
                    throw .badFieldPath(text, reason: "a backslash escapes nothing")
                }
                bytes.append(escaped)
            default:
                bytes.append(byte)
            }
        }
        throw .badFieldPath(text, reason: "a backtick is open")
    }

    /// Reads what a programmer writes: dots separate, and `~*/[]` are refused.
    ///
    /// - Throws: `PathError.badFieldPath` for such a character, and for an empty segment.
    package init(dotted text: String) throws(PathError) {
        for byte in text.utf8 where "~*/[]".utf8.contains(byte) {
            throw .badFieldPath(text, reason: "it holds one of ~*/[]")
        }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty }) else {
            throw .badFieldPath(text, reason: "it has an empty segment")
        }
        self.segments = parts.map { String($0) ?? "" }
    }

    /// Whether this is `__name__`.
    package var isDocumentID: Bool { segments.count == 1 && segments[0] == "__name__" }

    /// How many segments there are.
    package var count: Int { segments.count }

    /// The path without its last segment.
    package var parent: FieldPath { FieldPath(Array(segments.dropLast())) }

    /// The path with one more segment.
    package func appending(_ segment: String) -> FieldPath { FieldPath(segments + [segment]) }

    /// Whether this path is `other` or leads to a map around it.
    package func isPrefix(of other: FieldPath) -> Bool {
        guard count <= other.count else { return false }
        for (left, right) in zip(segments, other.segments) where !utf8Equals(left, right) {
            return false
        }
        return true
    }

    /// The dotted form that the backend reads.
    package var canonicalString: String {
        segments.map(Self.quoted).joined(separator: ".")
    }

    package var description: String { canonicalString }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.count == rhs.count && lhs.isPrefix(of: rhs)
    }

    package func hash(into hasher: inout Hasher) {
        for segment in segments { hashUTF8(segment, into: &hasher) }
    }

    private static func quoted(_ segment: String) -> String {
        if isPlain(segment) { return segment }
        var bytes: [UInt8] = [UInt8(ascii: "`")]
        for byte in segment.utf8 {
            if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "`") {
                bytes.append(UInt8(ascii: "\\"))
            }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "`"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ segment: String) -> Bool {
        guard let first = segment.utf8.first,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return false }
        return segment.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default:
                false
            }
        }
    }
}

extension FieldPath: Comparable {
    package static func < (lhs: Self, rhs: Self) -> Bool {
        for (left, right) in zip(lhs.segments, rhs.segments) {
            let order = utf8Compare(left, right)
            if order != 0 { return order < 0 }
        }
        return lhs.count < rhs.count
    }
}
