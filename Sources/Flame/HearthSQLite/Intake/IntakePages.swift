/// Where the records of an intake log lie: decides, and knows nothing of the file.
///
/// Records lie close together in pages, since a record alone is much smaller than the least that a disk
/// writes at once. The page that is being filled has two places, written by turns:
///
///     page       0        1        2        3
///     writes     a
///                         a b
///                abc                                  the copy of before, written over
///                         d                           d does not fit behind c: a page of its own
///                                  d e
///
/// So a page is written over only when all its records lie in another page too. If a power cut
/// tears a write, no record that was durable before is harmed. A record longer than a page has
/// pages of its own.
struct IntakePages: Hashable {
    /// What is written as one. No disk tears a larger piece unnoticed, and none writes a larger one whole.
    static let byteCount = 4_096

    /// Where a record goes.
    struct Place: Hashable {
        /// The first page to write.
        let page: Int
        /// How many.
        let pageCount: Int
        /// Where in the first page the record begins.
        ///
        /// The tail's records in front of this place are written again.
        let offset: Int
    }

    /// How many pages the log has.
    let count: Int
    /// The first page that was not written since the log began anew.
    private var fresh = 0
    /// A page whose records lie in the tail too.
    private var spare: Int?
    /// Where the tail was written last.
    private var tail: Int?
    /// How much the tail holds.
    private var tailByteCount = 0

    /// A log of `count` pages, with the first `usedCount` pages in use.
    init(count: Int, usedCount: Int = 0) {
        self.count = count
        fresh = usedCount
    }

    /// Whether a record of so many bytes still has room.
    func hasRoom(for byteCount: Int) -> Bool {
        var next = self
        return next.place(byteCount) != nil
    }

    /// Takes room for a record; `nil` if there is too little.
    mutating func place(_ byteCount: Int) -> Place? {
        guard byteCount <= Self.byteCount else { return placeWide(byteCount) }
        let isBehind = tail != nil && tailByteCount + byteCount <= Self.byteCount
        guard let page = spare ?? (fresh < count ? fresh : nil) else { return nil }
        if page == fresh { fresh += 1 }
        let offset = isBehind ? tailByteCount : 0
        spare = isBehind ? tail : nil
        tail = page
        tailByteCount = offset + byteCount
        return Place(page: page, pageCount: 1, offset: offset)
    }

    /// Takes pages for a record that is longer than a page.
    ///
    /// Nothing is added to the present tail any more.
    private mutating func placeWide(_ byteCount: Int) -> Place? {
        let pageCount = (byteCount + Self.byteCount - 1) / Self.byteCount
        guard fresh + pageCount <= count else { return nil }
        defer { fresh += pageCount }
        tail = nil
        return Place(page: fresh, pageCount: pageCount, offset: 0)
    }
}

extension IntakePages {
    /// What a log holds.
    struct Contents {
        /// What follows a version of the database, in order, without a gap.
        var records: [IntakeRecord] = []
        /// What lies behind a gap: something between was damaged.
        var stragglers: [IntakeRecord] = []
    }

    /// Finds what a log has behind a version of the database.
    ///
    /// Records from before the log began anew have versions that the database has passed. A record
    /// may lie in two pages, and the two pages of the tail may come in either order.
    static func contents(
        of log: UnsafeRawBufferPointer, salt: UInt64, behind version: StoreVersion
    ) -> Contents {
        var found: [StoreVersion: IntakeRecord] = [:]
        var contents = Contents()
        eachRecord(of: log, salt: salt) { record in
            if record.version > version { found[record.version] = record }
        }
        var last = version
        while let record = found.removeValue(forKey: last.next) {
            contents.records.append(record)
            last = record.version
        }
        contents.stragglers = found.values.sorted { $0.version < $1.version }
        return contents
    }

    /// Hands out every record of a log, in the order of their places; some come twice.
    static func eachRecord(
        of log: UnsafeRawBufferPointer, salt: UInt64, _ body: (IntakeRecord) -> Void
    ) {
        var page = 0
        while page < log.count / byteCount {
            let end = (page + 1) * byteCount
            var place = page * byteCount
            // Step by step, because what lies behind a damaged record may be sound.
            while place < end, let next = IntakeRecord.nextPlace(in: log, from: place, to: end) {
                guard let record = IntakeRecord(in: log, at: next, salt: salt) else {
                    place = next + 1
                    continue
                }
                place = next + record.byteCount
                body(record)
            }
            page = max(page + 1, (place + byteCount - 1) / byteCount)
        }
    }

    /// The salt of the first record in a log, whichever it is; `nil` if there is none.
    static func firstSalt(in log: UnsafeRawBufferPointer) -> UInt64? {
        var place = 0
        while let next = IntakeRecord.nextPlace(in: log, from: place, to: log.count) {
            if let salt = IntakeRecord.salt(in: log, at: next) { return salt }
            place = next + 1
        }
        return nil
    }
}
