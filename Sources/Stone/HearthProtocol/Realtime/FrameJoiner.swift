/// Puts messages together from the texts of WebSocket frames.
///
/// A peer counts in UTF-16 and may cut a pair of surrogates in two. If both halves come as three
/// bytes each, the joiner restores the scalar; a half without its partner becomes U+FFFD.
package struct FrameJoiner: Sendable {
    /// The most pieces that a message may have: a count has six digits at most.
    package static let pieceCountMax = 999_999

    /// The longest message that the joiner takes, in bytes.
    private let byteCountMax: Int
    private var pieceCount = 0
    private var message: [UInt8] = []

    /// Waits for the first frame.
    package init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// How many bytes are held of a message that is not complete.
    package var heldByteCount: Int { message.count }

    /// Takes the text of a frame.
    ///
    /// - Returns: A message that is complete; `nil` if pieces are missing, or for a keep-alive `0`.
    /// - Throws: `RealtimeCodecError.tooLong`. The connection cannot be read any further then.
    package mutating func take(_ text: [UInt8]) throws(RealtimeCodecError) -> [UInt8]? {
        guard message.count + text.count <= byteCountMax else {
            throw .tooLong(byteCountMax: byteCountMax)
        }
        if pieceCount == 0 {
            guard let count = Self.count(text) else { return Self.repaired(text) }
            pieceCount = count
            return nil
        }
        message += text
        pieceCount -= 1
        guard pieceCount == 0 else { return nil }
        defer { message = [] }
        return Self.repaired(message)
    }

    /// The number of pieces that a frame announces; 0 is a keep-alive.
    private static func count(_ text: [UInt8]) -> Int? {
        let isNumber = text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, 1...6 ~= text.count else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// The message without surrogates, which are bytes from ED A0 to ED BF.
    private static func repaired(_ message: [UInt8]) -> [UInt8] {
        guard message.contains(surrogateStart),
            message.indices.contains(where: { isSurrogate(message, at: $0) })
        else { return message }
        var result: [UInt8] = []
        result.reserveCapacity(message.count)
        var offset = 0
        while offset < message.count {
            guard isSurrogate(message, at: offset) else {
                result.append(message[offset])
                offset += 1
                continue
            }
            if message[offset + 1] < 0xB0, isSurrogate(message, at: offset + 3),
                message[offset + 4] >= 0xB0
            {
                let high = unit(message, at: offset)
                let low = unit(message, at: offset + 3)
                result += scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
                offset += 6
            } else {
                result += scalar(0xFFFD)
                offset += 3
            }
        }
        return result
    }

    private static let surrogateStart: UInt8 = 0xED

    private static func isSurrogate(_ bytes: [UInt8], at offset: Int) -> Bool {
        offset + 2 < bytes.count && bytes[offset] == surrogateStart
            && bytes[offset + 1] & 0xE0 == 0xA0
            && bytes[offset + 2] & 0xC0 == 0x80
    }

    private static func unit(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        0xD000 | UInt32(bytes[offset + 1] & 0x3F) << 6 | UInt32(bytes[offset + 2] & 0x3F)
    }

    private static func scalar(_ value: UInt32) -> [UInt8] {
        Unicode.Scalar(value).map { Array(String(Character($0)).utf8) } ?? []
    }
}
