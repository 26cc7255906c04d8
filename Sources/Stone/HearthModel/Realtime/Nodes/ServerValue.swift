/// A value that a write leaves to the server to fill in.
package enum ServerValue: Hashable, Sendable {
    /// The server's time in milliseconds.
    case timestamp
    /// What is stored, plus a number.
    case increment(LeafValue)

    /// The leaf that is stored.
    ///
    /// - Parameters:
    ///   - existing: The node stored at that place.
    ///   - now: Milliseconds since 1970.
    /// - Source: firebase-js-sdk `core/util/ServerValues.ts`; whole numbers stay whole, unless the sum
    ///   does not fit, as on Android and iOS.
    package func resolved(over existing: LeafValue?, at now: Int64) -> LeafValue {
        switch self {
        case .timestamp: .integer(now)
        case .increment(let delta): Self.sum(existing, delta)
        }
    }

    private static func sum(_ existing: LeafValue?, _ delta: LeafValue) -> LeafValue {
        guard let existing, let left = existing.number, let right = delta.number else {
            return delta
        }
        if case .integer(let a) = existing, case .integer(let b) = delta {
            let (sum, overflows) = a.addingReportingOverflow(b)
            if !overflows { return .integer(sum) }
        }
        // A sum beyond all doubles stays at the greatest: JSON has no infinity.
        return LeafValue.number(left + right)
            ?? .double(left < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude)
    }
}
