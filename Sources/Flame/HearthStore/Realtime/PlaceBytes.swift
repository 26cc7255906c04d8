import HearthEngine
import HearthModel

/// Places of the Realtime Database's tree as bytes whose order is the order of places.
///
/// Shape: the keys one after the other. A key that sorts as a number is `01`, the number as 4 bytes
/// big-endian with the sign flipped, the length of its text as 2 bytes big-endian, and for a zero
/// of more than one byte the text's first byte: number and length tell all leading zeros. Any other
/// key is `02`, its UTF-8 with the lead bytes `EE` and `EF` written `F5` and `F6`, and `00`.
///
/// With these two bytes moved, the order of bytes is the order of UTF-16: UTF-8 sorts scalars from
/// U+E000 to U+FFFF before those that UTF-16 writes in two units, and UTF-16 sorts them after. No
/// key's bytes begin another key's, so the bytes of a place are a prefix of just the bytes of the
/// places below.
enum PlaceBytes {
    /// Follows a place's bytes where its priority is meant, which comes before all places below.
    static let priorityMark: UInt8 = 0
    private static let integerMark: UInt8 = 1
    private static let textMark: UInt8 = 2
    /// Follows a place's bytes behind all places below.
    private static let endMark: UInt8 = 0xFF

    private static let minus = UInt8(ascii: "-")
    private static let zero = UInt8(ascii: "0")

    /// The bytes of a place.
    static func bytes(of path: RealtimePath) -> [UInt8] {
        path.keys.reduce(into: []) { append($1, to: &$0) }
    }

    /// The bytes of a key.
    static func bytes(of key: ChildKey) -> [UInt8] {
        var bytes: [UInt8] = []
        append(key, to: &bytes)
        return bytes
    }

    /// Behind the bytes of a place and of all places below.
    static func end(of place: [UInt8]) -> [UInt8] { place + [endMark] }

    /// Before the bytes of all places below a place, and behind the mark of its priority.
    static func begin(below place: [UInt8]) -> [UInt8] { place + [integerMark] }

    /// Where the priority of a place with children lies.
    static func priority(of place: [UInt8]) -> [UInt8] { place + [priorityMark] }

    /// Goes down to a child.
    static func append(_ key: ChildKey, to bytes: inout [UInt8]) {
        let text = key.text.utf8
        if let number = key.integer {
            bytes.append(integerMark)
            appendBig(UInt32(bitPattern: number) ^ (1 << 31), to: &bytes)
            appendBig(UInt16(clamping: text.count), to: &bytes)
            if number == 0, text.count > 1, let first = text.first { bytes.append(first) }
            return
        }
        bytes.append(textMark)
        let start = bytes.count
        bytes.append(contentsOf: text)
        for index in start..<bytes.count where bytes[index] == 0xEE || bytes[index] == 0xEF {
            bytes[index] += 7
        }
        bytes.append(0)
    }

    private static func appendBig(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    // MARK: Reading

    /// Reads a place.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no place has.
    static func path(from bytes: UnsafeRawBufferPointer) throws(StoreError) -> RealtimePath {
        var keys: [ChildKey] = []
        var index = 0
        while index < bytes.count { keys.append(try key(in: bytes, at: &index)) }
        return RealtimePath(keys)
    }

    /// Reads the place of a row; `nil` for a row that has only the priority of a place.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no row has.
    static func place(ofRow bytes: UnsafeRawBufferPointer) throws(StoreError) -> RealtimePath? {
        var keys: [ChildKey] = []
        var index = 0
        while index < bytes.count {
            if index == bytes.count - 1, bytes[index] == priorityMark { return nil }
            keys.append(try key(in: bytes, at: &index))
        }
        return RealtimePath(keys)
    }

    /// Reads a key that fills all of the bytes.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no key has.
    static func key(from bytes: UnsafeRawBufferPointer) throws(StoreError) -> ChildKey {
        var index = 0
        let key = try key(in: bytes, at: &index)
        guard index == bytes.count else { throw damage }
        return key
    }

    /// Reads the key at an index, and moves the index behind the key.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no key has.
    static func key(in bytes: UnsafeRawBufferPointer, at index: inout Int) throws(StoreError)
        -> ChildKey
    {
        guard index < bytes.count else { throw damage }
        let mark = bytes[index]
        index += 1
        switch mark {
        case integerMark: return try number(in: bytes, at: &index)
        case textMark: return try text(in: bytes, at: &index)
        default: throw damage
        }
    }

    private static func number(in bytes: UnsafeRawBufferPointer, at index: inout Int)
        throws(StoreError) -> ChildKey
    {
        guard bytes.count - index >= 6 else { throw damage }
        let bits = UInt32(
            bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
        let length = Int(
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt16.self)))
        index += 6
        let number = Int32(bitPattern: bits ^ (1 << 31))
        var isNegative = number < 0
        if number == 0, length > 1 {
            guard index < bytes.count, bytes[index] == minus || bytes[index] == zero else {
                throw damage
            }
            isNegative = bytes[index] == minus
            index += 1
        }
        let digits = String(number.magnitude)
        let zeroCount = length - digits.utf8.count - (isNegative ? 1 : 0)
        guard zeroCount >= 0, length <= ChildKey.byteCountMax else { throw damage }
        let zeros = String(repeating: "0", count: zeroCount)
        return ChildKey(unchecked: (isNegative ? "-" : "") + zeros + digits)
    }

    private static func text(in bytes: UnsafeRawBufferPointer, at index: inout Int)
        throws(StoreError) -> ChildKey
    {
        var end = index
        var joined: UInt8 = 0
        while end < bytes.count, bytes[end] != 0 {
            joined |= bytes[end]
            end += 1
        }
        guard end < bytes.count else { throw damage }
        let stored = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
        index = end + 1
        let text: String?
        if joined < 0x80 {
            text = String(decoding: stored, as: UTF8.self)
        } else if stored.contains(where: { $0 >= 0xEE }) {
            guard !stored.contains(where: { $0 == 0xEE || $0 == 0xEF }) else { throw damage }
            let moved = stored.map { $0 == 0xF5 || $0 == 0xF6 ? $0 - 7 : $0 }
            text = String(validating: moved, as: UTF8.self)
        } else {
            text = String(validating: stored, as: UTF8.self)
        }
        guard let key = text.flatMap({ ChildKey($0) }), key.integer == nil else { throw damage }
        return key
    }

    private static var damage: StoreError { .damaged("the place of a node") }
}
