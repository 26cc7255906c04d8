import HashTreeCollections
import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

struct GatheredDocumentsTests {
    private func note(_ wire: Int32, epoch: Int = 0) -> DocumentNews.Note {
        DocumentNews.Note(
            wire: WireTargetID(wire), target: TargetID(wire), epoch: epoch, change: .added,
            word: .found)
    }

    private func document(_ number: Int, size: Int) -> Document {
        .found(
            key("rooms/r\(number)"), at: version(1),
            MapValue([("text", .string(String(repeating: "x", count: size)))]))
    }

    /// What documents take that have nothing else gathered with them.
    private func byteCount(_ gathered: GatheredDocuments) -> Int {
        var fresh = GatheredDocuments()
        for (key, news) in gathered.rows {
            news.visit { _ = fresh.take($0, of: key, now: news.document) }
        }
        return fresh.byteCount
    }

    @Test(arguments: UInt64(1)...20)
    func `the memory is that of what is there, however it came and went`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var gathered = GatheredDocuments()
        for _ in 0..<300 {
            let number = Int.random(in: 0..<20, using: &random)
            let wire = Int32.random(in: 1...4, using: &random)
            let size = Int.random(in: 0..<9_000, using: &random)
            let document = Bool.random(using: &random) ? document(number, size: size) : nil
            _ = gathered.take(note(wire), of: key("rooms/r\(number)"), now: document)
            if Int.random(in: 0..<50, using: &random) == 0 {
                gathered.drop { $0.wire == WireTargetID(wire) }
            }
            #expect(gathered.byteCount == byteCount(gathered))
        }
        gathered.drop { _ in false }
        #expect(gathered.byteCount == 0)
        #expect(gathered.rows.isEmpty)
    }

    @Test func `the greediest listen is the one that most bytes are for`() {
        var gathered = GatheredDocuments()
        for number in 0..<10 {
            _ = gathered.take(note(1), of: key("rooms/r\(number)"), now: document(number, size: 10))
        }
        _ = gathered.take(note(2), of: key("rooms/r99"), now: document(99, size: 50_000))
        #expect(gathered.greediest { _ in true } == WireTargetID(2))
        #expect(gathered.greediest { $0.wire == WireTargetID(1) } == WireTargetID(1))
        #expect(gathered.greediest { _ in false } == nil)
    }
}
