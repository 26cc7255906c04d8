extension RealtimeRuleSet {
    /// The source as JSON that any reader takes: without comments, and with the ends of lines within
    /// strings as escapes.
    ///
    /// - Source: Firebase's REST reference, `format=strict` of `/.settings/rules.json`.
    package var strictSource: String {
        var result: [UInt8] = []
        var rest = Array(source.utf8)[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                result.append(byte)
                Self.passString(&rest, to: &result)
            } else if byte == UInt8(ascii: "/") {
                Self.passComment(&rest)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Copies a string, its closing quote included.
    private static func passString(_ rest: inout ArraySlice<UInt8>, to result: inout [UInt8]) {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\n"): result += "\\n".utf8
            case UInt8(ascii: "\r"): result += "\\r".utf8
            case UInt8(ascii: "\t"): result += "\\t".utf8
            case 0..<0x20:
                result += (byte < 0x10 ? "\\u000" : "\\u00").utf8
                result += String(byte, radix: 16).utf8
            case UInt8(ascii: "\\"):
                result.append(byte)
                if let escaped = rest.popFirst() { result.append(escaped) }
            default:
                result.append(byte)
                if byte == UInt8(ascii: "\"") { return }
            }
        }
    }

    /// Passes a comment, but not the end of its line.
    private static func passComment(_ rest: inout ArraySlice<UInt8>) {
        if rest.popFirst() == UInt8(ascii: "*") {
            var last: UInt8?
            while let byte = rest.popFirst() {
                if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { return }
                last = byte
            }
        } else {
            rest = rest.drop { $0 != UInt8(ascii: "\n") }
        }
    }
}
