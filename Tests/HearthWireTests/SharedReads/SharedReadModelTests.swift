import HearthTestSupport
import HearthWire
import Testing

/// The sequence lock against a model of memory: a reader and a writer stepped by chance at every word.
struct SharedReadModelTests {
    private static let byteCount = SharedReadLayout.byteCountMin
    private static let names = ["a/1", "rooms/hall", "rooms/attic/lamps/7", "b/22222222"]

    /// What the writer has done up to a store.
    private struct Moment {
        let storeCount: Int
        /// The number in the answer of each name; `nil` for a name that has no answer.
        let numbers: [Int?]
    }

    /// A body that tells its name and number in every byte, so that a torn one shows.
    private func body(_ name: Int, _ number: Int) -> [UInt8] {
        let count = 1 + (number * 7 + name * 3) % 61
        return (0..<count).map { UInt8((name * 64 + number + $0) & 0xFF) }
            + [UInt8(name), UInt8(number & 0xFF), UInt8(number >> 8)]
    }

    private func number(in body: [UInt8]) -> Int {
        Int(body[body.count - 2]) | Int(body[body.count - 1]) << 8
    }

    /// Writes by chance; returns the words and what counted after each step.
    private func write(
        _ stepCount: Int, _ chance: inout SeededGenerator
    ) -> (WrittenWords, [Moment]) {
        let words = WrittenWords(count: Self.byteCount / 8)
        var writer = SharedReadWriter(words, byteCount: Self.byteCount, seed: chance.next())
        writer.renew(until: 1_000)
        var numbers: [Int?] = Array(repeating: nil, count: Self.names.count)
        var moments = [Moment(storeCount: words.storeCount, numbers: numbers)]
        for step in 1...stepCount {
            let name = Int.random(in: 0..<Self.names.count, using: &chance)
            switch Int.random(in: 0..<10, using: &chance) {
            case 0:
                writer.removeAll()
                numbers = numbers.map { _ in nil }
            case 1:
                writer.erase()
                numbers = numbers.map { _ in nil }
            case 2, 3, 4:
                SharedReadName.with(Self.names[name]) { writer.remove($0) }
                numbers[name] = nil
            default:
                SharedReadName.with(Self.names[name]) { writer.insert(body(name, step), of: $0) }
                numbers[name] = step
            }
            moments.append(Moment(storeCount: words.storeCount, numbers: numbers))
        }
        return (words, moments)
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `a reader has a whole answer that no commit has taken back before, or none`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        let (words, moments) = write(60, &chance)
        var found = 0
        for _ in 0..<1_500 {
            let began = Int.random(in: 0..<moments.count, using: &chance)
            let ended = Int.random(in: began..<min(began + 6, moments.count), using: &chance)
            let seen = SeenWords(
                words, known: moments[began].storeCount, last: moments[ended].storeCount,
                SeededGenerator(seed: chance.next()))
            guard let table = SharedReadTable(seen, byteCount: Self.byteCount) else {
                Issue.record("the header is not there")
                return
            }
            let name = Int.random(in: 0..<Self.names.count, using: &chance)
            guard
                let answer = SharedReadName.with(
                    Self.names[name], { table.body(of: $0, at: 10) })
            else { continue }
            found += 1
            let number = number(in: answer)
            #expect(answer == body(name, number), "seed \(seed): torn")
            // The answer counted at some moment between what the reader had been told and now.
            #expect(
                moments[began...ended].contains { $0.numbers[name] == number },
                "seed \(seed): \(number) of \(name) did not count from \(began) to \(ended)")
        }
        #expect(found > 100)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a reader that was told of the end finds nothing, and one that was not is not lied to`(
        seed: UInt64
    ) {
        var chance = SeededGenerator(seed: seed)
        let words = WrittenWords(count: Self.byteCount / 8)
        var writer = SharedReadWriter(words, byteCount: Self.byteCount, seed: 7)
        writer.renew(until: 1_000)
        SharedReadName.with("a/1") { writer.insert(body(0, 1), of: $0) }
        let before = words.storeCount
        writer.end()
        for _ in 0..<500 {
            let hears = Bool.random(using: &chance)
            let seen = SeenWords(
                words, known: hears ? words.storeCount : before, last: words.storeCount,
                SeededGenerator(seed: chance.next()))
            guard let table = SharedReadTable(seen, byteCount: Self.byteCount) else {
                Issue.record("the header is not there")
                return
            }
            let answer = SharedReadName.with("a/1") { table.body(of: $0, at: 10) }
            #expect(answer == nil || (!hears && answer == body(0, 1)))
        }
    }
}
