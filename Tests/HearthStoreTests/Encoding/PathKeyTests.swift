import HearthEngine
import HearthFirestore
import HearthModel
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct PathKeyTests {
    private static let alphabet = [
        "\u{0}", "\u{1}", "\u{2}", "a", "b", "A", "_", "__", "id", "/", "-", "0", "7", "\u{7F}",
        "\u{e9}", "e\u{301}", "\u{FFFF}", "\u{1F525}", "__id7__", "__id-9__", "__id12__",
        "__id9223372036854775807__", "__id-9223372036854775808__", "__id07__", "__id007__",
        "__id+7__", "__id-0__", "__id00__", "__id0__", "__id000__",
        "__id__",
    ]

    private func randomPath(_ random: inout SeededRandom, count: Int) -> ResourcePath {
        let segments = (0..<count).map { _ in
            var segment = ""
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                segment += Self.alphabet.randomElement(using: &random) ?? "a"
            }
            return segment.replacingSlashes
        }
        return (try? ResourcePath(segments: segments)) ?? .root
    }

    @Test func `bytes of which a name would hold a slash are damaged`() {
        let bytes: [UInt8] = [2, 0x61, 0x2F, 0x62, 0]
        bytes.withUnsafeBytes { bytes in
            #expect(throws: StoreError.self) { try PathKey.path(from: bytes) }
            #expect(throws: StoreError.self) {
                try PathKey.key(in: path("rooms"), named: bytes)
            }
        }
    }

    @Test func `bytes sort as paths do`() throws {
        var random = SeededRandom(seed: 1)
        let paths = (0..<400).map { _ in
            randomPath(&random, count: Int.random(in: 1...4, using: &random))
        }
        for left in paths {
            for right in paths {
                let byBytes = compareBytes(PathKey.bytes(of: left), PathKey.bytes(of: right))
                #expect(
                    byBytes.signum() == left.compare(to: right).signum(), "\(left) and \(right)")
            }
        }
    }

    @Test func `names in a collection sort as keys do`() throws {
        var random = SeededRandom(seed: 2)
        let keys = (0..<300).compactMap { _ in
            DocumentKey(path("rooms").appending(randomPath(&random, count: 1)))
        }
        for left in keys {
            for right in keys {
                let byBytes = compareBytes(PathKey.name(of: left), PathKey.name(of: right))
                #expect(byBytes.signum() == left.compare(to: right).signum())
            }
        }
    }

    @Test func `a path comes back from its bytes, and begins with its parent's`() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let path = randomPath(&random, count: Int.random(in: 2...6, using: &random))
            let bytes = PathKey.bytes(of: path)
            #expect(try bytes.withUnsafeBytes { try PathKey.path(from: $0) } == path)
            #expect(bytes.starts(with: PathKey.bytes(of: path.parent)))
            guard let key = DocumentKey(path) else { continue }
            let name = PathKey.name(of: key)
            #expect(bytes == PathKey.bytes(of: path.parent) + name)
            let read = try name.withUnsafeBytes {
                try PathKey.key(in: key.collection, named: $0)
            }
            #expect(read == key)
        }
    }

    @Test func `a numeric id that is not spelled as its number keeps its spelling`() throws {
        for name in ["__id07__", "__id+7__", "__id__", "__id7_", "__id99999999999999999999__"] {
            let bytes = PathKey.bytes(of: path("c/\(name)"))
            #expect(try bytes.withUnsafeBytes { try PathKey.path(from: $0) } == path("c/\(name)"))
        }
    }

    @Test func `bytes that are no path are damage`() {
        for bytes: [UInt8] in [[0], [3, 1, 0], [2], [2, 65], [2, 0], [1, 0, 0], [2, 65, 0, 9]] {
            #expect(throws: StoreError.self) {
                try bytes.withUnsafeBytes { try PathKey.path(from: $0) }
            }
        }
    }
}

extension String {
    fileprivate var replacingSlashes: String {
        String(
            decoding: utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
    }
}
