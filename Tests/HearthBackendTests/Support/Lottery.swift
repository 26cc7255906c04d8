import HearthTestSupport

/// Numbers by chance that a seed repeats: a test that failed can be run again as it was.
struct Lottery: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    /// A number from 0 up to a bound that is above 0.
    mutating func number(below bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &self)
    }

    /// One of several.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }
}
