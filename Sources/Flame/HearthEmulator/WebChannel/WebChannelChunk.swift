/// Arrays that the client receives together, in the form of the wire.
///
/// Shape: `LENGTH\n[[ID,ARRAY],[ID,ARRAY]]`. The length counts the units of UTF-16 behind the
/// line's end, because the client counts in strings of JavaScript.
struct WebChannelChunk {
    private var text: [UInt8] = []

    /// Bytes of the arrays so far.
    var byteCount: Int { text.count }

    /// Adds an array.
    mutating func append(_ json: [UInt8], id: Int) {
        text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
        text += Array("[\(id),".utf8)
        text += json
        text.append(UInt8(ascii: "]"))
    }

    /// The bytes to write. The chunk is empty afterwards.
    mutating func take() -> [UInt8] {
        text.append(UInt8(ascii: "]"))
        defer { text = [] }
        return Self.bytes(text)
    }

    /// A text behind its length.
    static func bytes(_ text: [UInt8]) -> [UInt8] {
        Array("\(utf16Count(text))\n".utf8) + text
    }

    /// How many units of UTF-16 a text in UTF-8 has.
    static func utf16Count(_ text: [UInt8]) -> Int {
        text.reduce(0) { count, byte in
            switch byte {
            case 0x80..<0xC0: count
            case 0xF0...: count + 2
            default: count + 1
            }
        }
    }
}
