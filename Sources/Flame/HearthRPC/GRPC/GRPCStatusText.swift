/// How gRPC writes a status message into a header: printable ASCII, the rest in percent.
package enum GRPCStatusText {
    /// The header's value.
    static func encode(_ message: String) -> String {
        if message.utf8.allSatisfy(isPlain) { return message }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.utf8.count + 16)
        for byte in message.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += PercentEscape.encode(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The beginning of a message whose header is short enough for every client; the whole message,
    /// if it is.
    ///
    /// Cuts between characters.
    package static func cut(_ message: String) -> String {
        if message.utf8.count * 3 <= ConnectionLimits.errorByteCountMax { return message }
        let byteCountMax = ConnectionLimits.errorByteCountMax
        let scalars = message.unicodeScalars
        var byteCount = 0
        var end = scalars.startIndex  // Behind the last character that leaves room for the dots.
        for index in scalars.indices {
            byteCount += UTF8.encode(scalars[index])?.reduce(0) { $0 + (isPlain($1) ? 1 : 3) } ?? 0
            if byteCount > byteCountMax { return message[..<end] + ellipsis }
            if byteCount <= byteCountMax - ellipsis.utf8.count { end = scalars.index(after: index) }
        }
        return message
    }

    /// What stands where a message was cut.
    private static let ellipsis = "..."

    /// The message of a header's value. What is no escape stays as it is.
    static func decode(_ value: String) -> String {
        let source = Array(value.utf8)
        guard source.contains(UInt8(ascii: "%")) else { return value }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let byte = PercentEscape.decode(source[index + 1], source[index + 2])
            {
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%")
    }
}
