import HearthTestSupport
import HearthWire
import Testing

/// What the memory file of hot documents finds and forgets, and whom the reader believes.
struct SharedReadTableTests {
    private static let byteCount = SharedReadLayout.byteCountMin

    private let words = WrittenWords(count: byteCount / 8)

    private func writer() -> SharedReadWriter<WrittenWords> {
        let writer = SharedReadWriter(words, byteCount: Self.byteCount, seed: 42)
        writer.renew(until: 1_000)
        return writer
    }

    private func find(_ name: String, at now: UInt64 = 10) -> [UInt8]? {
        SharedReadTable(words, byteCount: Self.byteCount).flatMap { table in
            SharedReadName.with(name) { table.body(of: $0, at: now) }
        }
    }

    private func insert(
        _ name: String, _ body: [UInt8], _ writer: inout SharedReadWriter<WrittenWords>
    ) {
        SharedReadName.with(name) { writer.insert(body, of: $0) }
    }

    @Test func `an answer is found by the whole name, until it is removed or replaced`() {
        var writer = writer()
        insert("rooms/hall", [1, 2, 3], &writer)
        insert("rooms/hal", [], &writer)
        #expect(find("rooms/hall") == [1, 2, 3])
        #expect(find("rooms/hal") == [])
        #expect(find("rooms/halls") == nil)
        insert("rooms/hall", Array(repeating: 9, count: 1_000), &writer)
        #expect(find("rooms/hall") == Array(repeating: 9, count: 1_000))
        #expect(SharedReadName.with("rooms/hall") { writer.contains($0) })
        SharedReadName.with("rooms/hall") { writer.remove($0) }
        #expect(find("rooms/hall") == nil)
        #expect(find("rooms/hal") == [])
    }

    @Test func `all is forgotten at once, and the file is used again`() {
        var writer = writer()
        for number in 0..<100 { insert("rooms/\(number)", [UInt8(number)], &writer) }
        writer.removeAll()
        #expect((0..<100).allSatisfy { find("rooms/\($0)") == nil })
        insert("rooms/7", [77], &writer)
        #expect(find("rooms/7") == [77])
        #expect(find("rooms/8") == nil)
    }

    @Test func `erasing and ending leave no byte of an answer`() {
        let secret: [UInt8] = Array("0123456789abcdef".utf8)
        for ends in [false, true] {
            var writer = writer()
            for number in 0..<50 { insert("rooms/\(number)", secret, &writer) }
            if ends { writer.end() } else { writer.erase() }
            let first = SharedReadLayout(byteCount: Self.byteCount).firstEntry
            #expect((first..<Self.byteCount / 8).allSatisfy { words.load($0) == 0 })
            #expect(find("rooms/1") == nil)
        }
    }

    @Test func `nobody believes a writer that is dead, silent or of another clock`() {
        var writer = writer()
        insert("rooms/hall", [1], &writer)
        #expect(find("rooms/hall", at: 999) == [1])
        #expect(find("rooms/hall", at: 1_000) == nil)
        #expect(find("rooms/hall", at: 2_000) == nil)
        writer.renew(until: SharedReadLimits.leaseNanoseconds + 2_000)
        #expect(find("rooms/hall", at: 1_999) == nil)
        #expect(find("rooms/hall", at: 2_000) == [1])
        words.store(SharedReadLayout.isEnded | 4_711, at: SharedReadLayout.Header.life)
        #expect(find("rooms/hall", at: 2_000) == nil)
    }

    @Test func `the last change is believed as long as the answers are`() {
        var writer = writer()
        func change(at now: UInt64 = 10) -> UInt64? {
            SharedReadTable(words, byteCount: Self.byteCount)?.changeNumber(at: now)
        }
        #expect(change() == nil)
        writer.tell(change: 7)
        #expect(change() == 7)
        #expect(change(at: 1_000) == nil)
        writer.removeAll()
        #expect(change() == 7)
        writer.tell(change: 0)
        #expect(change() == nil)
        writer.tell(change: 8)
        writer.end()
        #expect(change() == nil)
    }

    @Test func `the ring and the buckets forget the oldest, and never the wrong one`() {
        var writer = writer()
        var chance = SeededGenerator(seed: 3)
        var entered: [String: [UInt8]] = [:]
        for round in 0..<4_000 {
            let name = "rooms/\(Int.random(in: 0..<900, using: &chance))"
            let count = Int.random(in: 0..<700, using: &chance)
            if round % 5 == 0 {
                SharedReadName.with(name) { writer.remove($0) }
                entered[name] = nil
            } else {
                let body = (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) }
                insert(name, body, &writer)
                entered[name] = body
                #expect(find(name) == body)
            }
        }
        var kept = 0
        for (name, body) in entered {
            guard let found = find(name) else { continue }
            kept += 1
            #expect(found == body, "\(name)")
        }
        #expect(kept > 200)
        #expect(find("rooms/900") == nil)
    }

    @Test func `an answer that is too large is not entered, nor is the older one kept`() {
        var writer = writer()
        insert("rooms/hall", [1], &writer)
        insert(
            "rooms/hall", Array(repeating: 1, count: SharedReadLayout.entryByteCountMax), &writer)
        #expect(find("rooms/hall") == nil)
    }

    @Test func `words of any content are read without harm`() {
        var chance = SeededGenerator(seed: 11)
        var writer = writer()
        for number in 0..<200 { insert("rooms/\(number)", [UInt8(number)], &writer) }
        let layout = SharedReadLayout(byteCount: Self.byteCount)
        for _ in 0..<2_000 {
            let word = Int.random(in: 2..<layout.firstEntry + 1_000, using: &chance)
            let value = chance.next() >> UInt64.random(in: 0..<64, using: &chance)
            // Slots and entries may say anything, and the header too.
            words.store(value, at: word)
            for number in 0..<5 { _ = find("rooms/\(number)") }
        }
        for index in 0..<8 { words.store(.max, at: index) }
        #expect(SharedReadTable(words, byteCount: Self.byteCount) == nil)
    }

    @Test func `a file of another layout or size is not read`() {
        _ = writer()
        #expect(SharedReadTable(words, byteCount: Self.byteCount) != nil)
        #expect(SharedReadTable(words, byteCount: Self.byteCount - 8) == nil)
        #expect(SharedReadTable(WrittenWords(count: 64), byteCount: Self.byteCount) == nil)
    }
}
