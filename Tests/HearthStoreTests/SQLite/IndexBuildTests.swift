import HearthEngine
import HearthFirestore
import HearthModel
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// Indexes put together from sorted runs while their documents go on changing.
struct IndexBuildTests {
    /// A store whose indexes were made before its documents, and a store whose indexes come later.
    private final class Pair {
        let early: IndexBench
        let late: IndexBench
        private var random: UInt64

        init(seed: UInt64) throws {
            random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
            early = try IndexBench()
            late = try IndexBench()
        }

        func next(_ bound: Int) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random >> 1) % bound
        }

        /// A few cities, some long; up to three tags; nothing at all now and then.
        func fields() -> MapValue {
            var fields: MapValue = [:]
            if next(10) > 0 {
                let city = next(30)
                let tail = city == 7 ? String(repeating: "x", count: 5_000) : ""
                fields["city"] = .string("city-\(city)\(tail)")
            }
            if next(4) > 0 {
                fields["tags"] = .array((0..<next(4)).map { _ in .integer(Int64(next(6))) })
            }
            return fields
        }

        /// Changes, adds and removes some documents, in both stores alike, at one time.
        func change(_ count: Int, of documentCount: Int, at time: Int64) throws {
            var changes: [(DocumentKey, MapValue?)] = []
            for _ in 0..<count {
                let collection = ["a", "b/1/a", "b/2/a", "c"][next(4)]
                let key = key("\(collection)/\(next(documentCount))")
                changes.append((key, next(5) > 0 ? fields() : nil))
            }
            for bench in [early, late] {
                try bench.store.transaction { store throws(StoreError) in
                    for (key, fields) in changes {
                        if let fields {
                            try store.setRemoteDocument(found("\(key.path)", fields, at: time))
                        } else {
                            try store.removeRemoteDocument(key)
                        }
                    }
                }
            }
        }
    }

    private func indexes() throws -> [FieldIndex] {
        [
            try #require(FieldIndex("a", [.init(FieldPath(["city"]))])),
            try #require(FieldIndex("a", [.init(FieldPath(["tags"]), .contains)])),
            try #require(
                FieldIndex("a", [.init(FieldPath(["city"]), .descending)], scope: .group)),
        ]
    }

    private func add(_ indexes: [FieldIndex], to bench: IndexBench) throws {
        for index in indexes { _ = try bench.manage(.add(index)) }
    }

    @discardableResult
    private func slice(_ bench: IndexBench, _ countMax: Int) throws -> Bool {
        try bench.store.transaction { store throws(StoreError) in
            try store.backfillIndexes(countMax: countMax).isDone
        }
    }

    private func entries(_ bench: IndexBench) throws -> String? {
        bench.store.showWrites()
        return try Connection(path: bench.store.configuration.path, isReadOnly: true).text(
            """
            SELECT group_concat(line, char(10)) FROM (
                SELECT index_id || ' ' || collection || ' ' || hex(value) || ' ' || document AS line
                FROM index_entries ORDER BY 1)
            """)
    }

    private func expectNothingIsLeft(_ bench: IndexBench) throws {
        #expect(try bench.number("SELECT count(*) FROM index_runs") == 0)
        #expect(try bench.number("SELECT count(*) FROM index_changes") == 0)
        #expect(try bench.store.problems().isEmpty)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `documents that change while an index is built are listed as if it had been there`(
        seed: UInt64
    ) throws {
        let pair = try Pair(seed: seed)
        try add(indexes(), to: pair.early)
        while try !slice(pair.early, 1_000) {}
        try pair.change(900, of: 200, at: 1)  // All read at the same time.
        try add(indexes(), to: pair.late)
        var time: Int64 = 1
        while true {
            switch pair.next(6) {
            case 0:
                time += Int64(pair.next(2))
                try pair.change(1 + pair.next(20), of: 220, at: time)
            case 1:
                #expect(throws: StoreError.self) {
                    try pair.late.store.transaction { store throws(StoreError) in
                        _ = try store.backfillIndexes(countMax: 50)
                        throw StoreError.io("undone")
                    }
                }
            case 2 where pair.next(4) == 0:
                try pair.late.restart()
            default: break
            }
            if try slice(pair.late, 1 + pair.next(60)) { break }
        }
        let expected = try entries(pair.early)
        #expect(expected?.isEmpty == false)
        #expect(try entries(pair.late) == expected)
        try pair.change(100, of: 220, at: time + 1)
        #expect(try entries(pair.late) == entries(pair.early))
        try expectNothingIsLeft(pair.late)
    }

    @Test(arguments: [1, 6, 12, 18, 24, 30, 36, 42])
    func `an index that is removed half built leaves nothing, and can be built anew`(slices: Int)
        throws
    {
        let pair = try Pair(seed: 77)
        try add(indexes(), to: pair.early)
        while try !slice(pair.early, 1_000) {}
        try pair.change(700, of: 150, at: 1)
        try add(indexes(), to: pair.late)
        for _ in 0..<slices { try slice(pair.late, 40) }
        try pair.change(30, of: 150, at: 2)
        _ = try pair.late.manage(.removeAll)
        while try !slice(pair.late, 40) {}
        #expect(try pair.late.number("SELECT count(*) FROM index_entries") == 0)
        try expectNothingIsLeft(pair.late)
        try add(indexes(), to: pair.late)
        while try !slice(pair.late, 40) {}
        #expect(try entries(pair.late) == entries(pair.early))
    }

    @Test func `clearing the cache ends the building of its indexes`() throws {
        let pair = try Pair(seed: 5)
        try pair.change(500, of: 100, at: 1)
        try add(indexes(), to: pair.late)
        for _ in 0..<20 { try slice(pair.late, 30) }
        for bench in [pair.early, pair.late] {
            try bench.store.transaction { store throws(StoreError) in try store.removeAll() }
        }
        try expectNothingIsLeft(pair.late)
        try add(indexes(), to: pair.early)
        while try !slice(pair.early, 1_000) {}
        try pair.change(500, of: 100, at: 2)
        try add(indexes(), to: pair.late)
        while try !slice(pair.late, 30) {}
        #expect(try entries(pair.late) == entries(pair.early))
    }

    @Test func `a run is stored in blocks of about a page, in the order of its entries`() throws {
        let values = (0..<2_000).map { number in
            Array("value-\((number &* 7_919) % 2_000)".utf8)
                + (number == 9 ? [UInt8](repeating: 7, count: 9_000) : [])
        }
        let entries = values.enumerated().map { number, value in
            IndexEntry(
                place: IndexPlace(collection: Int64(number % 3), value: value),
                document: Int64(number) << 20)
        }
        let blocks = RunBlock.blocks(of: entries)
        #expect(blocks.count(where: { $0.bytes.count > 4_000 }) == 1)
        #expect(blocks.count(where: { $0.bytes.count < 3_000 }) <= 2)
        var read: [IndexEntry] = []
        for block in blocks {
            var block = RunBlock(bytes: block.bytes)
            while let entry = try block.next() { read.append(entry) }
        }
        #expect(zip(read, read.dropFirst()).allSatisfy { $0.place < $1.place })
        #expect(Set(read.map(\.document)) == Set(entries.map(\.document)))
        var torn = RunBlock(bytes: blocks[0].bytes.dropLast())
        #expect(throws: StoreError.self) { while try torn.next() != nil {} }
    }
}
