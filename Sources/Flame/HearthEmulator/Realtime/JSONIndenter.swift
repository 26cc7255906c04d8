/// Breaks JSON without spaces into lines, for people.
enum JSONIndenter {
    /// The same value with two spaces for each level. O(n).
    static func indent(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        var depth = 0
        var isInString = false
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if isInString {
                result.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
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
                isInString = true
                result.append(byte)
            default: result.append(byte)
            }
        }
        return result
    }

    private static func breakLine(_ depth: Int, _ result: inout [UInt8]) {
        result.append(UInt8(ascii: "\n"))
        result += [UInt8](repeating: UInt8(ascii: " "), count: depth * 2)
    }
}
