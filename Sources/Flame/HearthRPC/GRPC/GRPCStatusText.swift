/// How gRPC writes a status message into a header: printable ASCII, the rest in percent.
enum GRPCStatusText {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The header's value.
    static func encode(_ message: String) -> String {
        if message.utf8.allSatisfy(isPlain) { return message }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.utf8.count + 16)
        for byte in message.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%")
    }
}
