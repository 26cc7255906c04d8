package import HearthModel

/// Gives out target ids of one parity, rising by two.
package struct TargetIDGenerator: Hashable, Sendable {
    private var last: Int32

    /// Odd ids from 1, for documents in limbo.
    package static let limbo = TargetIDGenerator(last: -1)

    private init(last: Int32) {
        self.last = last
    }

    /// Even ids after `highest`, for users' queries.
    package static func queries(after highest: TargetID) -> TargetIDGenerator {
        TargetIDGenerator(last: highest.rawValue)
    }

    /// The next id.
    package mutating func next() -> TargetID {
        last += 2
        return TargetID(last)
    }
}
