/// Writes JSON: no spaces, members in the order given, text as UTF-8.
package enum JSONWriter {
    /// The bytes of a value. A double must be finite. O(n).
    package static func bytes(of value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        write(value, to: &bytes)
        return bytes
    }

    private static func write(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += "null".utf8
        case .boolean(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): bytes += "\(number)".utf8
        case .double(let number):
            precondition(number.isFinite, "JSON has no \(number)")
            bytes += "\(number)".utf8
        case .string(let text): write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                write(member.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Adds a text between quotes. O(n).
    package static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            // What needs no escape is copied as it lies.
            var start = 0
            for index in text.indices where isEscaped(text[index]) {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                writeEscaped(text[index], to: &bytes)
                start = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func writeEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        guard byte < 0x20 else {
            bytes += [UInt8(ascii: "\\"), byte]
            return
        }
        bytes += "\\u00".utf8
        bytes += [hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 0xF)]]
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
