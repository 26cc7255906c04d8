/// Chance that always falls in the middle, so that waits are exact.
package struct EvenChance: RandomNumberGenerator, Sendable {
    /// Chance that has no state.
    package init() {}

    package mutating func next() -> UInt64 { 1 << 63 }
}
