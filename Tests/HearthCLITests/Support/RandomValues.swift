import Hearth
import HearthTestSupport

@testable import HearthCLI

/// Values of all kinds, the same for the same seed.
struct RandomValues {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A number in a range.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    /// A value, or an order.
    mutating func next() -> ValueLiteral {
        number(0...9) == 0 ? .order(order()) : value(depth: 0)
    }

    private mutating func order() -> ValueLiteral.Order {
        switch number(0...6) {
        case 0: .delete
        case 1: .serverTimestamp
        case 2: .increment(.integer(integer()))
        case 3: .maximum(.double(double()))
        case 4: .minimum(.integer(integer()))
        case 5: .arrayUnion(values(depth: 1))
        default: .arrayRemove(values(depth: 1))
        }
    }

    private mutating func value(depth: Int) -> ValueLiteral {
        switch number(0...(depth < 4 ? 11 : 9)) {
        case 0: .null
        case 1: .boolean(number(0...1) == 0)
        case 2: .integer(integer())
        case 3: .double(double())
        case 4: .timestamp(timestamp())
        case 5: .string(text())
        case 6: .bytes((0..<number(0...7)).map { _ in UInt8(number(0...255)) })
        case 7: .reference("rooms/\(name())")
        case 8:
            .geoPoint(
                GeoPoint(
                    latitude: Double(number(-90...90)),
                    longitude: Double(number(-1_800...1_800)) / 10))
        case 9: .vector((0..<number(0...3)).map { _ in double() })
        case 10: .array(values(depth: depth + 1))
        default: .map(fields(depth: depth + 1))
        }
    }

    private mutating func values(depth: Int) -> [ValueLiteral] {
        (0..<number(0...3)).map { _ in value(depth: depth) }
    }

    private mutating func fields(depth: Int) -> [ValueLiteral.Field] {
        var fields: [ValueLiteral.Field] = []
        for _ in 0..<number(0...2) {
            let name =
                number(0...4) == 0 ? ["$map", "$double", "$\(text())"][number(0...2)] : text()
            if fields.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) { continue }
            fields.append(.init(name: name, value: value(depth: depth)))
        }
        return fields
    }

    private mutating func integer() -> Int64 {
        number(0...3) == 0
            ? Int64.random(in: .min ... .max, using: &generator) : Int64(number(-9...9))
    }

    private mutating func double() -> Double {
        number(0...3) == 0
            ? Double(bitPattern: UInt64.random(in: 0 ... .max, using: &generator))
            : Double(number(-90...90)) / 8
    }

    private mutating func timestamp() -> Timestamp {
        Timestamp(
            seconds: Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator),
            nanoseconds: Int32(number(0...999_999_999)))
    }

    private mutating func text() -> String {
        let alphabet: [Character] = [
            "a", "Z", "0", " ", "\"", "\\", "`", ".", "$", "é", "😀", "\n", "\u{0}", "\u{7F}", ")",
            "(", ",", "\u{202E}", "e\u{301}",
        ]
        return String((0..<number(0...6)).map { _ in alphabet[number(0...alphabet.count - 1)] })
    }

    /// A document's name.
    private mutating func name() -> String {
        "x" + String(text().filter { $0 != "/" })
    }
}
