/// Reads a get of one document from the cache alone without decoding the message.
///
/// The reader knows only the spelling of protobuf libraries: the fields of `Get` and `Target` once,
/// in order. The daemon decodes a get in another spelling as usual.
///
/// Shape of the body: 0x0A length | 0x0A length name | 0x10 0x02
package enum CachedGet {
    private static let targetTag: UInt8 = 0x0A
    private static let documentTag: UInt8 = 0x0A
    private static let source: [UInt8] = [0x10, 0x02]

    /// The kind of the frame.
    package static let kind = UInt8(ProtoWireRequestKind.get.rawValue)

    /// The bytes of the document's full name; `nil` for another get, or for another spelling.
    package static func documentName(in body: RawSpan) -> [UInt8]? {
        body.withUnsafeBytes { bytes in
            var index = 0
            guard let target = length(behind: targetTag, in: bytes, &index) else { return nil }
            let end = index + target
            guard end + source.count == bytes.count, bytes[end] == source[0],
                bytes[end + 1] == source[1],
                let name = length(behind: documentTag, in: bytes, &index), index + name == end
            else { return nil }
            return [UInt8](bytes[index..<end])
        }
    }

    /// Reads a tag and a length of one or two bytes. Two bytes hold up to 16,383, more than the
    /// bytes of a name.
    private static func length(
        behind tag: UInt8, in bytes: UnsafeRawBufferPointer, _ index: inout Int
    ) -> Int? {
        guard index + 2 <= bytes.count, bytes[index] == tag else { return nil }
        let first = bytes[index + 1]
        index += 2
        guard first >= 0x80 else { return Int(first) }
        guard index < bytes.count, bytes[index] < 0x80 else { return nil }
        defer { index += 1 }
        return Int(first & 0x7F) | Int(bytes[index]) << 7
    }
}
