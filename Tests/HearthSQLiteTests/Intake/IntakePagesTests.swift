import HearthEngine
import HearthModel
import Testing

@testable import HearthSQLite

/// The layout of the intake log, without a file: the parts that stay readable after any power cut
/// and any damage.
struct IntakePagesTests {
    private static let salt: UInt64 = 0x1234_5678_9ABC_DEF0
    private static let page = IntakePages.byteCount

    /// A log in memory that is written as the file is.
    private struct Log {
        var pages: IntakePages
        var bytes: [UInt8]
        private var tail = [UInt8](repeating: 0, count: page)

        init(pageCount: Int) {
            pages = IntakePages(count: pageCount)
            bytes = [UInt8](repeating: 0, count: pageCount * page)
        }

        /// Writes a record; returns what it wrote, or `nil` if there was no room.
        mutating func append(_ record: IntakeRecord) -> Range<Int>? {
            guard let place = pages.place(record.byteCount) else { return nil }
            var written = [UInt8](repeating: 0, count: place.pageCount * page)
            if place.offset > 0 { written.replaceSubrange(0..<page, with: tail) }
            written.withUnsafeMutableBytes {
                record.write(
                    to: UnsafeMutableRawBufferPointer(rebasing: $0[place.offset...]), salt: salt)
            }
            if place.pageCount == 1 { tail = written }
            let range = (place.page * page)..<(place.page * page + written.count)
            bytes.replaceSubrange(range, with: written)
            return range
        }

        mutating func restart() { pages = IntakePages(count: pages.count) }
    }

    private func contents(_ bytes: [UInt8], behind version: Int64 = 0) -> IntakePages.Contents {
        bytes.withUnsafeBytes {
            IntakePages.contents(of: $0, salt: Self.salt, behind: StoreVersion(version))
        }
    }

    /// A record of chance, mostly short, sometimes of several pages.
    private func record(_ version: Int64, _ random: inout SeededRandom) -> IntakeRecord {
        let longest = Int.random(in: 0..<8, using: &random) == 0 ? 3 * Self.page : 900
        let count = Int.random(in: 0...longest, using: &random)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        return IntakeRecord(version: StoreVersion(version), bytes: bytes)
    }

    @Test func `records lie close together, and the tail has two places`() {
        var pages = IntakePages(count: 6)
        let third = Self.page / 3
        let places = (1...7).map { _ in pages.place(third) }
        let expected = [(0, 0), (1, third), (0, 2 * third), (1, 0), (2, third), (1, 2 * third)]
            .map { IntakePages.Place(page: $0.0, pageCount: 1, offset: $0.1) }
        #expect(Array(places.prefix(6)) == expected)
        // The tail of page 1 is full, and page 2 holds what page 1 has too.
        #expect(places[6] == IntakePages.Place(page: 2, pageCount: 1, offset: 0))
        #expect(pages.place(Self.page + 1) == .init(page: 3, pageCount: 2, offset: 0))
        #expect(!pages.hasRoom(for: 2 * Self.page))
        #expect(pages.hasRoom(for: Self.page))
        #expect(pages.place(Self.page) == .init(page: 5, pageCount: 1, offset: 0))
        #expect(!pages.hasRoom(for: 1))
    }

    @Test(arguments: UInt64(1)...6)
    func `a write that is torn in any way harms nothing that was written before`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var log = Log(pageCount: 7)
        var records: [IntakeRecord] = []
        var base: Int64 = 0
        var restarts = 0
        for number in Int64(1)...70 {
            let record = record(number, &random)
            let before = log.bytes
            guard let range = log.append(record) else {
                // Full: the database is committed, and the log begins anew with this record.
                base = number - 1
                records = []
                restarts += 1
                log.restart()
                _ = log.append(record)
                records.append(record)
                #expect(contents(log.bytes, behind: base).records == records)
                continue
            }
            for torn in Self.torn(before, log.bytes, range, &random) {
                let contents = contents(torn, behind: base)
                let isWhole = contents.records.count > records.count
                #expect(contents.records == records + (isWhole ? [record] : []))
                #expect(contents.stragglers.isEmpty)
            }
            records.append(record)
            let whole = contents(log.bytes, behind: base)
            #expect(whole.records == records)
            #expect(whole.stragglers.isEmpty)
            #expect(contents(log.bytes, behind: number).records.isEmpty)
        }
        #expect(restarts > 1)
    }

    /// What a cut in the middle of a write may leave: any beginning, any sectors, or unreadable
    /// bytes at the place of the write.
    private static func torn(
        _ before: [UInt8], _ after: [UInt8], _ range: Range<Int>, _ random: inout SeededRandom
    ) -> [[UInt8]] {
        let sector = 512
        var results: [[UInt8]] = []
        for _ in 0..<4 {
            var bytes = before
            let cut = Int.random(in: range, using: &random)
            bytes.replaceSubrange(range.lowerBound..<cut, with: after[range.lowerBound..<cut])
            results.append(bytes)
            bytes = before
            for start in stride(from: range.lowerBound, to: range.upperBound, by: sector) {
                let piece = start..<(start + sector)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.replaceSubrange(piece, with: after[piece])
                case 1: bytes.replaceSubrange(piece, with: repeatElement(0xA5, count: sector))
                default: break
                }
            }
            results.append(bytes)
        }
        var garbage = before
        garbage.replaceSubrange(range, with: repeatElement(0xA5, count: range.count))
        results.append(garbage)
        return results
    }

    @Test(arguments: UInt64(1)...4)
    func `damage is never taken for a record, and a gap is told of`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var log = Log(pageCount: 12)
        var records: [IntakeRecord] = []
        while true {
            let record = record(Int64(records.count) + 1, &random)
            guard log.append(record) != nil else { break }
            records.append(record)
        }
        for _ in 0..<150 {
            var bytes = log.bytes
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            let contents = contents(bytes)
            let all = contents.records + contents.stragglers
            #expect(records.starts(with: contents.records))
            #expect(all.allSatisfy { records[Int($0.version.rawValue) - 1] == $0 })
            // Whatever is not found is named by a gap, but for the last, which may never have been written.
            #expect(
                contents.records.count == all.count
                    || contents.stragglers[0].version.rawValue > contents.records.count + 1)
            #expect(all.last?.version.rawValue ?? 0 >= Int64(records.count) - 3)
        }
    }

    @Test func `every beginning of a log holds a beginning of what it was told, or shows a gap`() {
        var random = SeededRandom(seed: 5)
        var log = Log(pageCount: 6)
        var records: [IntakeRecord] = []
        while true {
            let record = record(Int64(records.count) + 1, &random)
            guard log.append(record) != nil else { break }
            records.append(record)
        }
        for count in stride(from: 0, through: log.bytes.count, by: 37) {
            var bytes = Array(log.bytes.prefix(count))
            bytes += repeatElement(0, count: log.bytes.count - count)
            let contents = contents(bytes)
            #expect(records.starts(with: contents.records))
            #expect(contents.stragglers.allSatisfy { records[Int($0.version.rawValue) - 1] == $0 })
        }
        #expect(contents(log.bytes).records == records)
    }
}
