/// Walks over the outermost fields of an encoded message, without reading what is in them.
enum FieldWalk {
    /// How many fields have one of these numbers. Stops at what is no message.
    static func count(of numbers: Set<UInt64>, in message: [UInt8]) -> Int {
        var count = 0
        walk(message) { number, _ in if numbers.contains(number) { count += 1 } }
        return count
    }

    /// The last number of a field of this number; `nil` if there is none.
    static func number(_ wanted: UInt64, in message: [UInt8]) -> UInt64? {
        var found: UInt64?
        walk(message) { number, value in if number == wanted { found = value ?? found } }
        return found
    }

    private static func walk(_ message: [UInt8], _ body: (UInt64, UInt64?) -> Void) {
        var place = 0
        while place < message.count, let tag = varint(message, &place) {
            switch tag & 7 {
            case 0:
                guard let value = varint(message, &place) else { return }
                body(tag >> 3, value)
            case 1:
                place += 8
                body(tag >> 3, nil)
            case 2:
                guard let length = varint(message, &place), length <= message.count - place else {
                    return
                }
                place += Int(length)
                body(tag >> 3, nil)
            case 5:
                place += 4
                body(tag >> 3, nil)
            default: return
            }
        }
    }

    private static func varint(_ message: [UInt8], _ place: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while place < message.count, shift < 64 {
            let byte = message[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }
}
