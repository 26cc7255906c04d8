/// Breaks JSON without spaces into lines, for people.
///
/// As the hosted service does with `print=pretty`, each member of an object stands on a line, and the
/// elements of an array stand in a row.
enum JSONIndenter {
    /// The same value with two spaces for each level of objects. O(n).
    static func indent(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        var depth = 0
        // Whether each open bracket is an array's.
        var areArrays: [Bool] = []
        var stringEnd = 0
        for (index, byte) in bytes.enumerated() where index >= stringEnd {
            let isEmpty = index + 1 < bytes.count && [0x5D, 0x7D].contains(bytes[index + 1])
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isArray = byte == UInt8(ascii: "[")
                result.append(byte)
                areArrays.append(isArray)
                if !isArray { depth += 1 }
                if !isEmpty { separate(isArray, depth, &result) }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                let isArray = areArrays.popLast() ?? false
                if !isArray { depth -= 1 }
                let wasEmpty = index > 0 && [0x5B, 0x7B].contains(bytes[index - 1])
                if !wasEmpty { separate(isArray, depth, &result) }
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                separate(areArrays.last ?? false, depth, &result)
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

    /// Adds what stands between the parts of an array, or of an object.
    private static func separate(_ isArray: Bool, _ depth: Int, _ result: inout [UInt8]) {
        result.append(UInt8(ascii: isArray ? " " : "\n"))
        if isArray { return }
        result += [UInt8](repeating: UInt8(ascii: " "), count: depth * 2)
    }
}
