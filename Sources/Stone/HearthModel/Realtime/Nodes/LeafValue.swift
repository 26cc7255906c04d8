/// The value of a leaf of the Realtime Database, or a priority.
///
/// A leaf is a flag, a number or a string; a priority is a number or a string.
///
/// The service has one type for all numbers, so `1` and `1.0` are equal here. A number is never
/// NaN.
package enum LeafValue: Sendable {
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)

    /// The longest string that the hosted service stores, in bytes of UTF-8.
    package static let stringByteCountMax = 10 * 1_024 * 1_024

    /// The number in its simplest form: whole if it is and fits; minus zero is zero.
    ///
    /// - Returns: `nil` for what no JSON can tell: an infinity, or no number at all.
    package static func number(_ number: Double) -> LeafValue? {
        guard number.isFinite else { return nil }
        return Int64(exactly: number).map(LeafValue.integer) ?? .double(number)
    }

    /// The number as the service's double; `nil` if this is none.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .bool, .string: nil
        }
    }

    /// Whether this may be the priority of a node, which a flag may not.
    package var canBePriority: Bool {
        if case .bool = self { return false }
        return true
    }
}

/// The order of values: flags, numbers, strings; within them false first, by value, by UTF-16.
///
/// - Source: firebase-js-sdk `core/snap/LeafNode.ts`, the order of value types.
extension LeafValue: Comparable {
    package static func < (lhs: Self, rhs: Self) -> Bool { compare(lhs, rhs) < 0 }

    package static func == (lhs: Self, rhs: Self) -> Bool { compare(lhs, rhs) == 0 }

    /// Orders two values: negative, zero or positive. Numbers are compared exactly.
    package static func compare(_ lhs: Self, _ rhs: Self) -> Int {
        switch (lhs, rhs) {
        case (.bool(let left), .bool(let right)): (left ? 1 : 0) - (right ? 1 : 0)
        case (.integer(let left), .integer(let right)): order(left, right)
        case (.double(let left), .double(let right)): order(left, right)
        case (.integer(let left), .double(let right)): exactOrder(left, right)
        case (.double(let left), .integer(let right)): -exactOrder(right, left)
        case (.string(let left), .string(let right)): UTF16Order.compare(left, right)
        case (.bool, _), (_, .string): -1
        case (_, .bool), (.string, _): 1
        }
    }

    private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    /// Compares without rounding: the double is cut to a whole number, and what was cut off decides.
    private static func exactOrder(_ left: Int64, _ right: Double) -> Int {
        guard right < 0x1p63 else { return -1 }
        guard right >= -0x1p63 else { return 1 }
        let whole = Int64(right)
        return left == whole ? order(Double(whole), right) : order(left, whole)
    }
}

extension LeafValue: Hashable {
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .bool(let flag): hasher.combine(flag)
        case .integer(let number): hasher.combine(number)
        case .double(let number):
            if let whole = Int64(exactly: number) {
                hasher.combine(whole)
            } else {
                hasher.combine(number)
            }
        case .string(let text): hashUTF8(text, into: &hasher)
        }
    }
}

extension LeafValue: CustomStringConvertible {
    /// The value as JSON.
    package var description: String {
        var bytes: [UInt8] = []
        NodeWriter.write(self, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LeafValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral
{
    /// Takes a flag that stands in our own source.
    package init(booleanLiteral flag: Bool) { self = .bool(flag) }
    /// Takes a whole number that stands in our own source.
    package init(integerLiteral number: Int64) { self = .integer(number) }
    /// Takes a string that stands in our own source.
    package init(stringLiteral text: String) { self = .string(text) }
}
