/// The extent of leaves that lie in bytes from outside, in the form of `PackedLeaves`.
///
/// Every rule of keys, texts, numbers and order is checked here, so that whoever reads the leaves
/// later need check nothing. A key and a text are checked where they lie, without a copy.
struct PackedBody {
    /// How many bytes the leaves take.
    let byteCount: Int
    /// About how many bytes the leaves have as JSON, with their keys.
    private(set) var jsonByteCount = 0

    /// Finds where the leaves end.
    ///
    /// - Parameters:
    ///   - count: How many leaves are to come.
    ///   - bytes: The leaves, and whatever follows them.
    ///   - byteCountMax: The most bytes that the leaves may take.
    /// - Returns: `nil` if the bytes do not begin with so many leaves in the order of their keys.
    init?(count: Int, in bytes: UnsafeRawBufferPointer, byteCountMax: Int) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        var cursor = Cursor(
            bytes: UnsafeBufferPointer(rebasing: bytes[..<min(bytes.count, byteCountMax)]))
        var last: UnsafeBufferPointer<UInt8>?
        for _ in 0..<count {
            guard let key = cursor.text(), ChildKey.isKey(key.bytes),
                last.map({ ChildKey.compare($0, key.bytes) < 0 }) ?? true,
                let leaf = cursor.leafJSONByteCount()
            else { return nil }
            last = key.bytes
            jsonByteCount += key.utf16Count + 4 + leaf
        }
        byteCount = cursor.offset
    }
}

/// Goes through bytes that may come from anywhere.
private struct Cursor {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var offset = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The next text, which is UTF-8, and how many units of UTF-16 the text has.
    mutating func text() -> (bytes: UnsafeBufferPointer<UInt8>, utf16Count: Int)? {
        guard let count = number(), count <= UInt64(PackedLeaves.textByteCountMax),
            Int(count) <= bytes.count - offset
        else { return nil }
        let text = UnsafeBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
        offset += Int(count)
        if text.reduce(0, |) < 0x80 { return (text, text.count) }
        guard let string = String(validating: text, as: UTF8.self) else { return nil }
        return (text, string.utf16.count)
    }

    /// Passes a leaf, and tells about how many bytes the leaf has as JSON (`NodeSize`).
    mutating func leafJSONByteCount() -> Int? {
        guard let kind = byte() else { return nil }
        switch kind {
        case 1, 2: return 4
        case 3: return number() == nil ? nil : 8
        case 4:
            guard bytes.count - offset >= 8 else { return nil }
            var pattern: UInt64 = 0
            for shift in 0..<8 { pattern |= UInt64(bytes[offset + shift]) << UInt64(8 * shift) }
            offset += 8
            return Double(bitPattern: pattern).isFinite ? 8 : nil
        case 5: return text().map { $0.utf16Count + 2 }
        default: return nil
        }
    }

    /// The next varint, written as short as may be.
    private mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = byte(), shift < 63 || byte < 2 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : number }
        }
        return nil
    }

    private mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }
}
