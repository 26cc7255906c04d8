/// 256 random bits that open a console, or keep it open.
package struct ConsoleSecret: Sendable {
    /// How many bytes of chance a secret has.
    private static let byteCount = 32

    /// The bits as 64 hexadecimal digits.
    package let text: String

    /// Draws a secret.
    package init<R: RandomNumberGenerator>(using random: inout R) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for _ in 0..<Self.byteCount {
            let byte = UInt8.random(in: .min ... .max, using: &random)
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        self.text = String(decoding: text, as: UTF8.self)
    }

    /// Whether a text is the secret. The time does not depend on where the two differ.
    package func matches(_ other: String) -> Bool {
        let (own, other) = (Array(text.utf8), Array(other.utf8))
        guard own.count == other.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(own, other) { difference |= left ^ right }
        return difference == 0
    }
}
