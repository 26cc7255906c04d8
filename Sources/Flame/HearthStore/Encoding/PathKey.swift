import HearthEngine
import HearthFirestore
import HearthModel

/// Paths as bytes whose order is the order of paths.
///
/// Shape: the segments one after the other. A numeric id (`__id7__`) is `01`, the number as 8 bytes
/// big-endian with the sign flipped, and `FF`. For a numeric id that is spelled otherwise
/// (`__id07__`), the text after `__id` and `00` stand in place of `FF`. A text segment is `02`, the
/// UTF-8 with `00` written `01 01` and `01` written `01 02`, and `00`. So `memcmp` puts numeric ids
/// first, then orders by bytes, then puts the shorter path first. The bytes of a collection are a
/// prefix of the bytes of every path below the collection.
enum PathKey {
    private static let numericMark: UInt8 = 1
    private static let textMark: UInt8 = 2
    private static let plainMark: UInt8 = 0xFF
    private static let numericPrefixCount = 4
    private static let slash = UInt8(ascii: "/")

    /// The bytes of a path.
    static func bytes(of path: ResourcePath) -> [UInt8] {
        var result: [UInt8] = []
        var text = path.string
        text.withUTF8 { utf8 in
            result.reserveCapacity(utf8.count + path.count + 1)
            for segment in utf8.split(separator: slash) { append(segment, to: &result) }
        }
        return result
    }

    /// The bytes of a document's last segment.
    static func name(of key: DocumentKey) -> [UInt8] {
        var result: [UInt8] = []
        var text = key.path.string
        text.withUTF8 { utf8 in
            let start = utf8.lastIndex(of: slash).map { $0 + 1 } ?? 0
            result.reserveCapacity(utf8.count - start + 2)
            append(utf8[start...], to: &result)
        }
        return result
    }

    /// Reads a path.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no path has.
    static func path(from bytes: UnsafeRawBufferPointer) throws(StoreError) -> ResourcePath {
        var segments: [PathSegment] = []
        var index = 0
        while index < bytes.count { segments.append(try name(in: bytes, at: &index)) }
        return ResourcePath(segments)
    }

    /// Reads a document's name in a collection.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no name has.
    static func key(in collection: ResourcePath, named bytes: UnsafeRawBufferPointer)
        throws(StoreError) -> DocumentKey
    {
        var index = 0
        let name = try name(in: bytes, at: &index)
        guard index == bytes.count, let key = DocumentKey(collection.appending(name)) else {
            throw .damaged("a document's name in \(collection)")
        }
        return key
    }

    private static func append(
        _ segment: UnsafeBufferPointer<UInt8>.SubSequence, to result: inout [UInt8]
    ) {
        if segment.first == UInt8(ascii: "_"),
            let number = ResourcePath.numericID(of: String(decoding: segment, as: UTF8.self))
        {
            result.append(numericMark)
            let bits = UInt64(bitPattern: number) ^ (1 << 63)
            for shift in stride(from: 56, through: 0, by: -8) {
                result.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
            }
            if segment.elementsEqual("__id\(number)__".utf8) {
                result.append(plainMark)
            } else {
                result.append(contentsOf: segment.dropFirst(numericPrefixCount))
                result.append(0)
            }
            return
        }
        result.append(textMark)
        if segment.contains(where: { $0 < 2 }) {
            for byte in segment {
                if byte < 2 { result.append(1) }
                result.append(byte < 2 ? byte + 1 : byte)
            }
        } else {
            result.append(contentsOf: segment)
        }
        result.append(0)
    }

    private static func name(in bytes: UnsafeRawBufferPointer, at index: inout Int)
        throws(StoreError) -> PathSegment
    {
        let text = try segment(in: bytes, at: &index)
        do throws(PathError) {
            return try PathSegment(parsing: text)
        } catch {
            throw .damaged("a path's bytes")
        }
    }

    private static func segment(in bytes: UnsafeRawBufferPointer, at index: inout Int)
        throws(StoreError) -> String
    {
        let mark = index < bytes.count ? bytes[index] : 0
        index += 1
        if mark == numericMark, index + 9 <= bytes.count {
            if bytes[index + 8] != plainMark {
                index += 8
                return "__id" + (try text(in: bytes, at: &index))
            }
            var bits: UInt64 = 0
            for _ in 0..<8 {
                bits = bits << 8 | UInt64(bytes[index])
                index += 1
            }
            index += 1
            return "__id\(Int64(bitPattern: bits ^ (1 << 63)))__"
        }
        guard mark == textMark else { throw .damaged("a path's bytes") }
        return try text(in: bytes, at: &index)
    }

    private static func text(in bytes: UnsafeRawBufferPointer, at index: inout Int)
        throws(StoreError) -> String
    {
        guard let end = bytes[index...].firstIndex(of: 0), end > index else {
            throw .damaged("a path's bytes")
        }
        let text = bytes[index..<end]
        index = end + 1
        if !text.contains(1) { return String(decoding: text, as: UTF8.self) }
        var plain: [UInt8] = []
        var isEscaped = false
        for byte in text {
            if byte == 1, !isEscaped {
                isEscaped = true
            } else {
                plain.append(isEscaped ? byte - 1 : byte)
                isEscaped = false
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
