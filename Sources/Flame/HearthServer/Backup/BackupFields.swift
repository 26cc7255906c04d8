/// The fields of a block, one behind the other.
///
/// Shape: whole numbers are 8 bytes LE; a text stands behind its length, u32 LE.
struct BackupFields {
    /// The fields so far, or what is left to read.
    private(set) var bytes: [UInt8]
    private var place = 0

    /// The bytes of a text, at most.
    private static let textByteCountMax = 4_096

    /// Fields to write, or to read.
    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Whether all was read.
    var isAtEnd: Bool { place == bytes.count }

    /// Adds a whole number.
    mutating func append(_ number: Int64) { BackupBlock.append(number, to: &bytes) }

    /// Adds a text, cut to what a reader takes.
    mutating func append(_ text: String) {
        let text = text.utf8.prefix(Self.textByteCountMax)
        BackupBlock.append(UInt32(text.count), to: &bytes)
        bytes += text
    }

    /// Reads a whole number; `nil` behind the end.
    mutating func number() -> Int64? { take(Int64.self) }

    /// Reads a text; `nil` for none.
    mutating func text() -> String? {
        guard let count = take(UInt32.self).map(Int.init), count <= Self.textByteCountMax,
            count <= bytes.count - place
        else { return nil }
        defer { place += count }
        return String(validating: bytes[place..<(place + count)], as: UTF8.self)
    }

    private mutating func take<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let count = MemoryLayout<Number>.size
        guard count <= bytes.count - place else { return nil }
        defer { place += count }
        return bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Number.self))
        }
    }
}
