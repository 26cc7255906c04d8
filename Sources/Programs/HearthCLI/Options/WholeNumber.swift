import ArgumentParser

/// Whole numbers as arguments.
package enum WholeNumber {
    /// Reads a number, 1 or more.
    ///
    /// - Throws: `ValidationError` that says which numbers there are.
    package static func positive(_ text: String) throws -> Int { try parse(in: 1...Int.max)(text) }

    /// Makes a reader of numbers of a range, whose error says which numbers there are.
    package static func parse<Number: FixedWidthInteger & Sendable>(
        in range: ClosedRange<Number>
    ) -> @Sendable (String) throws -> Number {
        { text in
            if let number = Number(text), range.contains(number) { return number }
            // The least and the greatest number of a machine mean nothing to a person.
            let isWide = Number.bitWidth >= Int.bitWidth
            let bounds =
                switch (isWide && range.lowerBound == .min, isWide && range.upperBound == .max) {
                case (true, true): ""
                case (false, true): ", \(range.lowerBound) or more"
                case (_, false): " from \(range.lowerBound) to \(range.upperBound)"
                }
            throw ValidationError("write a whole number\(bounds)")
        }
    }
}
