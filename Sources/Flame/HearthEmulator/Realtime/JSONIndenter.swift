/// Breaks JSON without spaces into lines, for people.
enum JSONIndenter {
    /// The same value with two spaces for each level. O(n).
    static func indent(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        var depth = 0
        var stringEnd = 0
        for (index, byte) in bytes.enumerated() where index >= stringEnd {
            let isEmpty = index + 1 < bytes.count && [0x5D, 0x7D].contains(bytes[index + 1])
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                result.append(byte)
                depth += 1
                if !isEmpty { breakLine(depth, &result) }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                let wasEmpty = index > 0 && [0x5B, 0x7B].contains(bytes[index - 1])
                if !wasEmpty { breakLine(depth, &result) }
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                breakLine(depth, &result)
            case UInt8(ascii: ":"): result += " : ".utf8
            case UInt8(ascii: "\""):
                stringEnd = endOfString(in: bytes, from: index)
                result += bytes[index..<stringEnd]
            default: result.append(byte)
            }
        }
        return result
    }

    /// The place behind a string, which begins with a quote at `start`.
    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var isEscaped = false
        for index in (start + 1)..<bytes.count {
            if !isEscaped, bytes[index] == UInt8(ascii: "\"") { return index + 1 }
            isEscaped = !isEscaped && bytes[index] == UInt8(ascii: "\\")
        }
        return bytes.count
    }

    private static func breakLine(_ depth: Int, _ result: inout [UInt8]) {
        result.append(UInt8(ascii: "\n"))
        result += [UInt8](repeating: UInt8(ascii: " "), count: depth * 2)
    }
}
