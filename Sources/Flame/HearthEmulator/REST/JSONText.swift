/// Writes JSON text, with the commas where they belong.
struct JSONText {
    /// The text so far.
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Begins an object.
    mutating func beginObject() {
        open(UInt8(ascii: "{"))
    }

    /// Ends an object.
    mutating func endObject() {
        close(UInt8(ascii: "}"))
    }

    /// Begins an array.
    mutating func beginArray() {
        open(UInt8(ascii: "["))
    }

    /// Ends an array.
    mutating func endArray() {
        close(UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value must follow.
    mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a text.
    mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += Array("\\n".utf8)
            case 0x0D: bytes += Array("\\r".utf8)
            case 0x09: bytes += Array("\\t".utf8)
            case 0..<0x20, 0x7F:
                let digits = String(UInt16(byte) + 0x1_000, radix: 16).dropFirst()
                bytes += Array("\\u0\(digits)".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number.
    mutating func integer(_ number: Int64) {
        raw("\(number)")
    }

    /// Writes a number; `NaN` and the infinities, which JSON lacks, as texts.
    mutating func double(_ number: Double) {
        if number.isNaN {
            string("NaN")
        } else if number.isInfinite {
            string(number < 0 ? "-Infinity" : "Infinity")
        } else {
            raw("\(number)")
        }
    }

    /// Writes a flag.
    mutating func boolean(_ flag: Bool) {
        raw(flag ? "true" : "false")
    }

    /// Writes null.
    mutating func null() {
        raw("null")
    }

    /// Writes a value that is JSON already.
    mutating func value(_ json: [UInt8]) {
        separate()
        bytes += json
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes += Array(text.utf8)
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }
}
