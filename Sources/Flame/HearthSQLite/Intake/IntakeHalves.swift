import HearthEngine

/// The two halves of an intake log, which are filled by turns.
///
/// The commits of the database are not synced as long as the log has the same records. So a half
/// may be written over only when the database has the half's records and has been synced since.
/// Another thread syncs the database while the writer fills the other half:
///
///     first    1 2 3 4  full
///     second            5 6    commit of 6, then a sync: the first is free
///     second                7 8 9  full
///     first                        10 11 ...
struct IntakeHalves: Hashable {
    private struct Half: Hashable {
        var pages: IntakePages
        /// The version of the last record; `nil` if the half may be written over.
        var last: StoreVersion?
    }

    /// How many pages each half has.
    private let pageCount: Int
    private var halves: [Half]
    private var current = 0

    /// The halves of so many pages, with nothing in them.
    init(pageCount: Int) {
        self.pageCount = pageCount / 2
        halves = Array(repeating: Half(pages: IntakePages(count: pageCount / 2)), count: 2)
    }

    /// The halves of a log that was found: without room, until it begins anew.
    init(foundPageCount pageCount: Int) {
        self.init(pageCount: pageCount)
        let full = Half(
            pages: IntakePages(count: self.pageCount, usedCount: self.pageCount),
            last: StoreVersion(.max))
        halves = [full, full]
    }

    /// Whether a record of so many bytes has room.
    func hasRoom(for byteCount: Int) -> Bool {
        var next = self
        return next.place(byteCount, leadingTo: StoreVersion(0)) != nil
    }

    /// Takes room for a record; `nil` if there is too little.
    mutating func place(_ byteCount: Int, leadingTo version: StoreVersion) -> IntakePages.Place? {
        for half in [current, 1 - current] {
            if half != current {
                guard halves[half].last == nil else { return nil }
                halves[half].pages = IntakePages(count: pageCount)
            }
            guard let place = halves[half].pages.place(byteCount) else { continue }
            current = half
            halves[half].last = version
            return IntakePages.Place(
                page: half * pageCount + place.page, pageCount: place.pageCount,
                offset: place.offset)
        }
        return nil
    }

    /// Whether the half that is filled next waits for a sync of a database of this version.
    func waitsForSync(of version: StoreVersion) -> Bool {
        halves[1 - current].last.map { $0 <= version } ?? false
    }

    /// The disk has the database up to a version.
    mutating func synced(_ version: StoreVersion) {
        if waitsForSync(of: version) { halves[1 - current].last = nil }
    }

    /// The disk has the database with all that was placed.
    mutating func restart() {
        self = IntakeHalves(pageCount: 2 * pageCount)
    }
}
