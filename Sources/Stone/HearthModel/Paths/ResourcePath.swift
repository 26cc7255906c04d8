/// A slash-separated path below a database's `documents`: of a collection, a document, or the root.
///
/// Shape: segments joined by `/`, none empty. Order: segment by segment, numeric ids
/// (`__id<int64>__`) first by their number, others by UTF-8 bytes; then the shorter path.
/// Source: firestore `model/path`, key order.
package struct ResourcePath: Hashable, Sendable, CustomStringConvertible {
    /// The segments joined by `/`; empty for the root.
    package let string: String
    /// How many segments there are.
    package var count: Int { Int(segmentCount) }
    /// Short, so that keys are: a cache holds many.
    private let segmentCount: Int32
    private let hasNumericID: Bool

    /// The path of no segments.
    package static let root = ResourcePath(unchecked: "", count: 0)

    /// Joins names.
    package init(_ segments: [PathSegment]) {
        self.init(
            unchecked: segments.lazy.map(\.string).joined(separator: "/"), count: segments.count)
    }

    /// Joins names from outside.
    ///
    /// - Throws: `PathError.refusedSegment` for one that is empty or holds a slash.
    package init(segments: [String]) throws(PathError) {
        var names: [PathSegment] = []
        names.reserveCapacity(segments.count)
        for segment in segments { names.append(try PathSegment(parsing: segment)) }
        self.init(names)
    }

    /// Reads a user's path: slashes at the edges are dropped.
    ///
    /// - Throws: `PathError.emptySegment` for `//`, and `tooLong` for 2 GiB.
    package init(parsing text: String) throws(PathError) {
        var utf8 = text.utf8[...]
        while utf8.first == UInt8(ascii: "/") { utf8.removeFirst() }
        while utf8.last == UInt8(ascii: "/") { utf8.removeLast() }
        // Two slashes in a row at the very edge are an error too, as they are inside.
        if text.utf8.starts(with: "//".utf8) || text.utf8.suffix(2).elementsEqual("//".utf8) {
            throw .emptySegment(path: text)
        }
        guard !utf8.isEmpty else {
            self = .root
            return
        }
        guard utf8.count < Int(Int32.max) else { throw .tooLong(byteCount: utf8.count) }
        var count = 1
        var previous: UInt8 = 0
        for byte in utf8 {
            if byte == UInt8(ascii: "/") {
                if previous == byte { throw .emptySegment(path: text) }
                count += 1
            }
            previous = byte
        }
        let isWhole = utf8.count == text.utf8.count
        self.init(unchecked: isWhole ? text : String(Substring(utf8)), count: count)
    }

    private init(unchecked string: String, count: Int) {
        self.string = string
        self.segmentCount = Int32(count)
        self.hasNumericID = Self.holdsNumericID(string)
    }

    /// A piece of a path without numeric ids, which then has none either.
    private init(unchecked string: String, count: Int, hasNumericID: Bool) {
        self.string = string
        self.segmentCount = Int32(count)
        self.hasNumericID = hasNumericID && Self.holdsNumericID(string)
    }

    /// The segments, in order. O(length).
    package var segments: [String] {
        count == 0 ? [] : string.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" }
    }

    /// Whether this is the root.
    package var isEmpty: Bool { count == 0 }

    /// The last segment. The path must not be the root.
    package var last: String {
        precondition(count > 0, "The root has no last segment")
        let utf8 = string.utf8
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return string }
        return String(string[utf8.index(after: slash)...])
    }

    /// The segment before the last. The path must have two segments or more.
    package var beforeLast: String {
        precondition(count > 1, "The path \(string) has no segment before its last")
        let utf8 = string.utf8
        let end = utf8.lastIndex(of: UInt8(ascii: "/")) ?? utf8.endIndex
        let slash = utf8[..<end].lastIndex(of: UInt8(ascii: "/"))
        return String(string[(slash.map(utf8.index(after:)) ?? utf8.startIndex)..<end])
    }

    /// The last segment as a name, or `nil` for the root.
    package var lastSegment: PathSegment? { isEmpty ? nil : PathSegment(unchecked: last) }

    /// The first segments, at most all.
    package func prefix(_ segmentCount: Int) -> ResourcePath {
        guard segmentCount < count else { return self }
        guard segmentCount > 0 else { return .root }
        let utf8 = string.utf8
        var end = utf8.startIndex
        for _ in 0..<segmentCount {
            let next = end == utf8.startIndex ? end : utf8.index(after: end)
            end = utf8[next...].firstIndex(of: UInt8(ascii: "/")) ?? utf8.endIndex
        }
        return ResourcePath(
            unchecked: String(string[..<end]), count: segmentCount, hasNumericID: hasNumericID)
    }

    /// The path without its last segment. The path must not be the root.
    package var parent: ResourcePath {
        precondition(count > 0, "The root has no parent")
        guard let slash = string.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
        return ResourcePath(
            unchecked: String(string[..<slash]), count: count - 1, hasNumericID: hasNumericID)
    }

    /// The path with one more name.
    package func appending(_ segment: PathSegment) -> ResourcePath {
        ResourcePath(
            unchecked: count == 0 ? segment.string : "\(string)/\(segment)", count: count + 1)
    }

    /// The path followed by another.
    package func appending(_ path: ResourcePath) -> ResourcePath {
        if path.isEmpty { return self }
        if isEmpty { return path }
        return ResourcePath(unchecked: "\(string)/\(path.string)", count: count + path.count)
    }

    /// Whether this path is `other` or lies above it.
    package func isPrefix(of other: ResourcePath) -> Bool {
        if count == 0 { return true }
        guard count <= other.count else { return false }
        return withUTF8(string, other.string) { prefix, whole in
            firstDifference(prefix, whole) == prefix.count
                && (whole.count == prefix.count || whole[prefix.count] == UInt8(ascii: "/"))
        }
    }

    /// Whether this path lies directly above `other`.
    package func isImmediateParent(of other: ResourcePath) -> Bool {
        count + 1 == other.count && isPrefix(of: other)
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.count == rhs.count && utf8Equals(lhs.string, rhs.string)
    }

    package func hash(into hasher: inout Hasher) { hashUTF8(string, into: &hasher) }

    package var description: String { string }
}

extension ResourcePath: Comparable {
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.compare(to: rhs) < 0 }

    /// Orders two paths: negative, zero or positive.
    package func compare(to other: ResourcePath) -> Int {
        if !hasNumericID && !other.hasNumericID {
            return withUTF8(string, other.string) { left, right in
                let index = firstDifference(left, right)
                guard index < left.count, index < right.count else {
                    return left.count - right.count
                }
                return Self.rank(left[index]) < Self.rank(right[index]) ? -1 : 1
            }
        }
        for (left, right) in zip(segments, other.segments) {
            let order = Self.compareSegments(left, right)
            if order != 0 { return order }
        }
        return count - other.count
    }

    /// Orders two segments by the numeric-id rule.
    package static func compareSegments(_ lhs: String, _ rhs: String) -> Int {
        switch (numericID(of: lhs), numericID(of: rhs)) {
        case (let left?, let right?):
            // "__id7__" and "__id07__" are one number but two documents.
            left == right ? utf8Compare(lhs, rhs) : (left < right ? -1 : 1)
        case (.some, nil): -1
        case (nil, .some): 1
        case (nil, nil): utf8Compare(lhs, rhs)
        }
    }

    /// The number of a segment `__id<int64>__`, or `nil` for any other.
    ///
    /// A number has one spelling: no plus sign and no zero before other digits. Else two different
    /// names would stand at the same place of the order.
    package static func numericID(of segment: String) -> Int64? {
        let utf8 = segment.utf8
        guard utf8.count > 6, utf8.starts(with: "__id".utf8),
            utf8.suffix(2).elementsEqual("__".utf8)
        else { return nil }
        let digits = Substring(utf8.dropFirst(4).dropLast(2))
        guard let number = Int64(digits), "\(number)".utf8.elementsEqual(digits.utf8) else {
            return nil
        }
        return number
    }

    /// Whether a segment starts as numeric ids do.
    private static func holdsNumericID(_ string: String) -> Bool {
        withUTF8(string, "__id") { bytes, mark in
            var index = 0
            while index + 7 <= bytes.count {
                let isSegmentStart = index == 0 || bytes[index - 1] == UInt8(ascii: "/")
                if isSegmentStart, bytes[index] == mark[0], bytes[index + 1] == mark[1],
                    bytes[index + 2] == mark[2], bytes[index + 3] == mark[3]
                {
                    return true
                }
                index += 1
            }
            return false
        }
    }

    /// The rank of a byte in the order. A slash ends a segment, so a slash sorts before every byte
    /// of a longer segment.
    private static func rank(_ byte: UInt8) -> UInt8 {
        // Bytes below the slash move up by one to make room for it at zero.
        byte == UInt8(ascii: "/") ? 0 : (byte < UInt8(ascii: "/") ? byte + 1 : byte)
    }
}
