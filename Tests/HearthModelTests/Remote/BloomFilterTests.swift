import HearthModel
import Testing

struct BloomFilterTests {
    /// A filter of `count` names, made in Python with `hashlib` after the published algorithm, and
    /// the filter's answers about the 80 names that follow.
    struct Golden: Sendable, CustomTestStringConvertible {
        let count: Int
        let bitmap: String
        let padding: Int
        let hashCount: Int
        let others: String

        var testDescription: String { "\(count) names, \(hashCount) hashes" }

        static let all = [
            Golden(
                count: 1, bitmap: "02", padding: 1, hashCount: 1,
                others: "0100010000000100000010000000010000000100"
                    + "0000000010000010010000000000001010000001"),
            Golden(
                count: 5, bitmap: "75fa57fce3df16", padding: 3, hashCount: 13,
                others: "0000000000000000000000000000000000000000"
                    + "0010000000000000000000000000000000000000"),
            Golden(
                count: 30, bitmap: "49c40f69e37b1e96c9128c60f9292d532de25a4516c06746", padding: 0,
                hashCount: 4,
                others: "0000000100100000000000000000000000000000"
                    + "0000000000000001000000000000000000001000"),
            Golden(
                count: 50,
                bitmap: "673df991cd7e71b69aee4fbc10b4a8c9dbd7ca28ec983b7e0693c64fd5c941f4c4be479715"
                    + "2d6be094f9cc57809f7a3e2474c0fd79c910562cc35004",
                padding: 5, hashCount: 7,
                others: "0000000000000000010000000000000000000000"
                    + "0000000000000000000000000000000000000000"),
        ]
    }

    private func name(_ number: Int) -> String {
        "projects/project-1/databases/database-1/documents/coll/doc\(number)"
    }

    @Test(arguments: Golden.all)
    func `a filter answers as the published algorithm does`(golden: Golden) throws {
        let bitmap = bytes(hexadecimal: golden.bitmap)
        let filter = try #require(
            BloomFilter(bitmap: bitmap, padding: golden.padding, hashCount: golden.hashCount))
        #expect((0..<golden.count).allSatisfy { filter.mightContain(name($0)) })
        let answers = (0..<80).map { filter.mightContain(name(golden.count + $0)) ? "1" : "0" }
        #expect(answers.joined() == golden.others)
        #expect(filter.wireForm.bitmap == bitmap)
        #expect(filter.wireForm.padding == golden.padding)
        #expect(filter.wireForm.hashCount == golden.hashCount)
    }

    @Test(
        arguments: [
            ([1], -1, 1), ([1], 8, 1), ([1], 0, -1), ([1], 0, 0), ([], 0, 0), ([], 1, 0),
            ([], 0, 1),
        ] as [([UInt8], Int, Int)])
    func `a filter whose numbers contradict each other is none`(
        bitmap: [UInt8], padding: Int, hashCount: Int
    ) {
        #expect(BloomFilter(bitmap: bitmap, padding: padding, hashCount: hashCount) == nil)
    }

    @Test func `a filter that names more hashes than a lookup could try still answers`() throws {
        let full = try #require(BloomFilter(bitmap: [0xff], padding: 0, hashCount: .max))
        #expect(full.mightContain(name(1)))
        let empty = try #require(BloomFilter(bitmap: [0], padding: 0, hashCount: .max))
        #expect(!empty.mightContain(name(1)))
    }

    @Test(arguments: [0, 1, 2, 100, 1_000])
    func `a filter that we build holds its names and few others`(count: Int) throws {
        let filter = BloomFilter(containing: (0..<count).map(name))
        #expect((0..<count).allSatisfy { filter.mightContain(name($0)) })
        let wrong = (count..<count + 2_000).count { filter.mightContain(name($0)) }
        #expect(wrong < 60)
        let (bitmap, padding, hashCount) = filter.wireForm
        #expect(BloomFilter(bitmap: bitmap, padding: padding, hashCount: hashCount) == filter)
    }

    @Test(arguments: BloomFilterVector.all)
    func `a filter of any size is the published algorithm's, bit by bit`(
        vector: BloomFilterVector
    ) throws {
        let members = (0..<vector.count).map { name($0, vector.spelling) }
        let built = BloomFilter(
            containing: members, bitCount: vector.bitCount, hashCount: vector.hashCount)
        let (bitmap, padding, hashCount) = built.wireForm
        #expect(MD5.words(of: bitmap).0 == vector.bitmap)
        let received = try #require(
            BloomFilter(bitmap: bitmap, padding: padding, hashCount: hashCount))
        #expect(received == built)
        let others = (0..<min(vector.count, 2_000)).map { number in
            name(vector.count + number, vector.spelling)
        }
        let answers = (members + others).map { UInt8(received.mightContain($0) ? 1 : 0) }
        #expect(MD5.words(of: answers).0 == vector.answers)
    }

    private func name(_ number: Int, _ spelling: BloomFilterVector.Spelling) -> String {
        let prefix = "projects/project-1/databases/database-1/documents/"
        return switch spelling {
        case .plain: "\(prefix)coll/doc\(number)"
        case .foreign: "\(prefix)r\u{e4}ume/\(number)/\u{90e8}\u{5c4b}/\u{1f525}\(number * 7)"
        }
    }
}
