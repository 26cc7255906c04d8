/// Changes one field of a message, knowing only the message's bytes.
///
/// Whatever lies in a field of bytes and can be read as a message is taken for one, so that lengths stay
/// right all the way up.
struct ProtoMutation {
    /// A field: its tag, and its content without the length.
    private struct Field {
        var tag: UInt64
        var content: [UInt8]
        var number: UInt64
    }

    private static let depthMax = 12
    /// Names and texts at which readers have failed, or might.
    static let texts = [
        "", "/", "a/b", "a//b", ".", "..", "__x__", "__id7__", "__id07__", "__name__", "a.b",
        "`a/b`",
        "`", "a\\", "rooms", "rooms/hall", "rooms/hall/lamps", "e\u{301}", "\u{e9}", "/\u{301}",
        ".\u{338}", "projects/demo/databases/(default)",
        "projects/demo/databases/(default)/documents",
        "projects/demo/databases/(default)/documents/rooms",
        "projects/demo/databases/(default)/documents/rooms/hall",
        "projects/demo/databases/(default)/documents/rooms/hall/lamps/a",
        "projects/other/databases/(default)/documents/rooms/hall", "projects//databases//documents",
        "projects/demo/databases/(default)/documents/rooms/\u{0}", "NaN", "LAST", "\u{1B}[2J",
        String(repeating: "a/", count: 300) + "a", String(repeating: "x", count: 2_000),
    ]
    private static let numbers: [UInt64] = [
        0, 1, 2, 3, 4, 10, 30, 31, 100, 127, 128, 255, 999_999_999, 1_000_000_000, 1 << 31 - 1,
        1 << 31,
        1 << 32, 1 << 53, 1 << 62, 1 << 63 - 1, 1 << 63, .max, .max - 1, 0xFFFF_FFFF_8000_0000,
    ]

    /// The message with one field changed, doubled or taken away.
    static func mutated(_ message: [UInt8], _ chance: inout RequestChance) -> [UInt8] {
        mutated(message, depth: 0, &chance)
    }

    private static func mutated(
        _ message: [UInt8], depth: Int, _ chance: inout RequestChance
    ) -> [UInt8] {
        guard var fields = fields(of: message), !fields.isEmpty else {
            return Array(chance.one(of: texts).utf8)
        }
        let index = chance.number(below: fields.count)
        switch chance.number(below: 12) {
        case 0: fields.remove(at: index)
        case 1: fields.append(fields[index])
        case 2: fields.swapAt(index, chance.number(below: fields.count))
        case 3: fields[index].tag = UInt64(chance.number(below: 16)) << 3 | fields[index].tag & 7
        default:
            if fields[index].tag & 7 == 2 {
                let content = fields[index].content
                let isMessage =
                    depth < depthMax && !content.isEmpty && Self.fields(of: content) != nil
                fields[index].content =
                    isMessage && !chance.once(in: 6)
                    ? mutated(content, depth: depth + 1, &chance) : text(content, &chance)
            } else if fields[index].tag & 7 == 0 {
                fields[index].number = chance.one(of: numbers)
            } else {
                let last = fields[index].content.count - 1
                fields[index].content[chance.number(below: last + 1)] ^= 0xFF
            }
        }
        return fields.flatMap(bytes)
    }

    /// Another text, or the same with another segment.
    private static func text(_ old: [UInt8], _ chance: inout RequestChance) -> [UInt8] {
        let new = Array(chance.one(of: texts).utf8)
        guard chance.once(in: 2), let slash = old.lastIndex(of: 0x2F) else { return new }
        return Array(old[...slash]) + new
    }

    private static func fields(of message: [UInt8]) -> [Field]? {
        var fields: [Field] = []
        var index = 0
        while index < message.count {
            guard let tag = varint(message, &index), tag >> 3 > 0, tag >> 3 < 3_000 else {
                return nil
            }
            switch tag & 7 {
            case 0:
                guard let number = varint(message, &index) else { return nil }
                fields.append(Field(tag: tag, content: [], number: number))
            case 1, 5:
                let count = tag & 7 == 1 ? 8 : 4
                guard index + count <= message.count else { return nil }
                fields.append(
                    Field(tag: tag, content: Array(message[index..<index + count]), number: 0))
                index += count
            case 2:
                guard let count = varint(message, &index), count <= UInt64(message.count - index)
                else { return nil }
                let end = index + Int(count)
                fields.append(Field(tag: tag, content: Array(message[index..<end]), number: 0))
                index = end
            default: return nil
            }
        }
        return fields
    }

    private static func varint(_ bytes: [UInt8], _ index: inout Int) -> UInt64? {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.count, shift < 64 {
            let byte = bytes[index]
            index += 1
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        return nil
    }

    private static func bytes(_ field: Field) -> [UInt8] {
        var bytes = varint(field.tag)
        switch field.tag & 7 {
        case 0: bytes += varint(field.number)
        case 2: bytes += varint(UInt64(field.content.count)) + field.content
        default: bytes += field.content
        }
        return bytes
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
