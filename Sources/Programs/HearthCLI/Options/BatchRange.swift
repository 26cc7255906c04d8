import ArgumentParser

/// Batches by their numbers, as they are typed: `12`, `3-9`, or `40-` for all from there on.
struct BatchRange: Hashable, Sendable, CustomStringConvertible {
    /// The first number.
    let first: Int64
    /// The last number.
    let last: Int64

    /// Reads a number or a range; `nil` for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = Self.number(parts[0]) else { return nil }
        self.first = first
        switch parts.count {
        case 1: last = first
        case _ where parts[1].isEmpty: last = .max
        default:
            guard let last = Self.number(parts[1]), last >= first else { return nil }
            self.last = last
        }
    }

    /// The number, if there is just one.
    var number: Int64? { first == last ? first : nil }

    /// Whether a batch is meant.
    func contains(_ id: Int64) -> Bool { first <= id && id <= last }

    var description: String {
        if let number { return "\(number)" }
        return last == .max ? "\(first)-" : "\(first)-\(last)"
    }

    /// Reads the argument of an option.
    static func parse(_ argument: String) throws -> BatchRange {
        if let range = BatchRange(argument) { return range }
        throw ValidationError(
            "write a batch's number, such as 12, or a range, such as 3-9 or 40-; the list of batches "
                + "tells the numbers")
    }

    /// Reads the number of one batch.
    static func parseNumber(_ argument: String) throws -> Int64 {
        if let number = number(argument[...]) { return number }
        throw ValidationError(
            "write the number of one batch, such as 12; the list of batches tells the numbers")
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text).flatMap { $0 > 0 ? $0 : nil }
    }
}
