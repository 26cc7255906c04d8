import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// What operators hear of a loss until they take note.
struct LossReportsTests {
    private let folder = TemporaryFolder()
    private let now = Timestamp(seconds: 5, nanoseconds: 0)

    private var configuration: StoreConfiguration { DamageBench.configuration(in: folder) }

    /// Opens the store as a start of the daemon does, closes the store, and returns what was told.
    private func opened() throws -> [StoreLoss] {
        let opened = try StoreRescue(configuration).open(at: now)
        try opened.finish()
        return opened.losses
    }

    /// The loss of a bundle by its name and its edition.
    private func loss(_ name: String, _ seconds: Int64 = 1, _ nanoseconds: Int32 = 0) -> LossName {
        LossName(
            of: "bundle \(name)", madeAt: Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    private func append(_ number: Int64, to store: SQLiteStore) throws {
        let key = try DocumentKey(parsing: "rooms/\(number)")
        let batch = QueuedBatch(
            batch: MutationBatch(
                id: BatchID(number), writtenAt: now,
                promisedAt: Timestamp(promising: number * 1_000_000),
                mutations: [Mutation(key: key, kind: .set(.empty))]),
            user: UserID("ada"), writer: Writer(uid: 7, gid: 7, pid: 7))
        try store.transaction { transaction throws(StoreError) in try transaction.append(batch) }
    }

    /// Makes a store with one batch, and marks the store as damaged.
    private func damage() throws {
        let store = try SQLiteStore(configuration)
        try append(1, to: store)
        try store.maintain("UPDATE store SET documents = 12")
        try DamageMark(reason: "page 7").write(besides: configuration.path)
    }

    @Test(arguments: [
        "short", "two\nlines", "an empty\n\nline, and \r\n another\n", "",
        String(repeating: "long ", count: 5_000), "x" + String(repeating: "é", count: 8_000),
    ])
    func `an account is known again as a report has it`(account: String) {
        let store = configuration.path
        #expect(!LossReports.tell(account, besides: store))
        LossReports.write(account, besides: store + ".damaged-5")
        #expect(LossReports.tell(account, besides: store))
        #expect(!LossReports.tell("another " + account, besides: store))
    }

    @Test func `an account that only looks like another is another`() {
        let store = configuration.path
        LossReports.write("caf\u{E9}", besides: store + ".damaged-5")
        #expect(!LossReports.tell("cafe\u{301}", besides: store))
    }

    @Test func `a rescue is told at every opening, with what was saved and what was let go`() throws
    {
        try damage()
        let losses = try opened()
        #expect(losses.count == 1)
        let loss = try #require(losses.first)
        #expect(loss.noticedAt == now)
        #expect(loss.account.contains("page 7") && loss.account.contains("1 queued batches"))
        #expect(loss.account.contains("12 documents"))
        #expect(try opened() == losses)
    }

    @Test func `what was told of a cache ends when a rescue lets the cache go`() throws {
        try damage()
        LossReports.write("Cut.", of: loss("a"), besides: configuration.path, at: now)
        let losses = try opened()
        #expect(losses.count == 1)
        #expect(losses.first?.account.contains("(1 reports) is told no more") == true)
        #expect(try opened() == losses)
    }

    @Test func `who clears the damaged file away has taken note`() throws {
        try damage()
        let losses = try opened()
        #expect(LossReports.standing(losses) == losses)
        for name in folder.files where name.contains(".damaged-") {
            try #require(unlink("\(folder.path)/\(name)") == 0)
        }
        #expect(LossReports.standing(losses).isEmpty)
        #expect(try opened().isEmpty)
    }

    @Test func `two losses of one moment have a report each`() throws {
        for account in ["One.", "Two."] {
            let path = configuration.files.setAsidePath(at: now)
            LossReports.write(account, besides: path)
        }
        let losses = LossReports.read(besides: configuration.path)
        #expect(losses.map(\.account) == ["One.", "Two."])
        #expect(losses.map(\.noticedAt.seconds) == [5, 6])
    }

    @Test func `a loss that an engine tells again has one report, until it is made good`() throws {
        let store = configuration.path
        let later = now.advanced(by: .seconds(2))
        LossReports.write("One.", of: loss("a"), besides: store, at: now)
        LossReports.write("Two.", of: loss("a"), besides: store, at: later)
        LossReports.write("Three.", of: loss("b"), besides: store, at: now)
        LossReports.write("Four.", besides: configuration.files.setAsidePath(at: later))
        let losses = LossReports.read(besides: store)
        #expect(losses.map(\.account) == ["Three.", "Four.", "Two."])
        #expect(losses.map(\.noticedAt.seconds) == [5, 7, 7])
        #expect(LossReports.standing(losses) == losses)
        LossReports.remove(loss("a"), besides: store)
        LossReports.remove(loss("c"), besides: store)
        #expect(LossReports.read(besides: store).map(\.account) == ["Three.", "Four."])
        #expect(LossReports.standing(losses).map(\.account) == ["Three.", "Four."])
    }

    @Test(arguments: [(-2, 0), (0, 0), (8, 999_999_999)] as [(Int64, Int32)])
    func `an older edition leaves the report of a newer one, until the newer one is made good`(
        seconds: Int64, nanoseconds: Int32
    ) {
        let (store, later) = (configuration.path, now.advanced(by: .seconds(1)))
        let (older, newer) = (loss("a", seconds, nanoseconds), loss("a", 9))
        var accounts: [String] { LossReports.read(besides: store).map(\.account) }
        LossReports.write("New.", of: newer, besides: store, at: now)
        LossReports.write("Old.", of: older, besides: store, at: later)
        #expect(accounts == ["New.", "Old."])
        LossReports.remove(older, besides: store)
        #expect(accounts == ["New."])
        LossReports.write("Old.", of: older, besides: store, at: later)
        LossReports.write("Again.", of: newer, besides: store, at: later)
        #expect(accounts == ["Again."])
        LossReports.remove(loss("a", 9, 1), besides: store)
        #expect(accounts.isEmpty)
    }

    @Test func `a report without an edition goes with any edition that is made good`() throws {
        let store = configuration.path
        LossReports.write("One.", of: loss("a", 9), besides: store, at: now)
        let report = try #require(LossReports.read(besides: store).first).path
        let parts = report.split(separator: "-", omittingEmptySubsequences: false)
        let plain = (parts.dropLast(2) + parts.suffix(1)).joined(separator: "-")
        try #require(rename(report, plain) == 0)
        #expect(LossReports.read(besides: store).map(\.account) == ["One."])
        LossReports.remove(loss("a", 1), besides: store)
        #expect(LossReports.read(besides: store).isEmpty)
    }

    @Test func `losses that programs cause take neither the folder nor the place of rescues`() {
        let store = configuration.path
        for number in 1...20 {
            LossReports.write("Rescue.", besides: "\(store).damaged-\(number)")
            let later = now.advanced(by: .seconds(number))
            LossReports.write("Loss \(number).", of: loss("\(number)"), besides: store, at: later)
        }
        let losses = LossReports.read(besides: store)
        let accounts = losses.map(\.account)
        #expect(accounts.count { $0 == "Rescue." } == 8)
        #expect(accounts.filter { $0.hasPrefix("Loss") } == (1...8).map { "Loss \($0)." })
        #expect(accounts.count == LossReports.countMax + 2)
        // What is not listed is told by its number.
        #expect(losses.map(\.count).reduce(0, +) == 40)
        #expect(folder.files.count { $0.contains(".lost-") } == LossReports.toldCountMax + 1)
        // Who takes note of one makes room.
        LossReports.remove(loss("3"), besides: store)
        LossReports.write("Next.", of: loss("21"), besides: store, at: now)
        #expect(LossReports.read(besides: store).contains { $0.account == "Next." })
    }

    /// Tells losses a second apart: as many as have reports, and some more.
    private func writeUnlisted(_ count: Int) {
        for number in 1...(LossReports.toldCountMax + count) {
            LossReports.write(
                "Loss.", of: loss("\(number)"), besides: configuration.path,
                at: now.advanced(by: .seconds(number)))
        }
    }

    @Test func `the losses without a report are told by their number, until they are made good`()
        throws
    {
        let store = configuration.path
        writeUnlisted(0)
        #expect(LossReports.read(besides: store).count == LossReports.toldCountMax)
        writeUnlisted(3)
        var told: StoreLoss? { LossReports.read(besides: store).last }
        #expect(told?.account.hasPrefix("And 3 more losses are not listed") == true)
        let noticedAt = try #require(told).noticedAt
        #expect(noticedAt == now.advanced(by: .seconds(LossReports.toldCountMax + 3)))
        // Told again, a loss counts once.
        writeUnlisted(3)
        #expect(told?.count == 3)
        LossReports.remove(loss("10"), besides: store)
        LossReports.remove(loss("11"), besides: store)
        #expect(told?.account.hasPrefix("And 1 more loss is not listed") == true)
        // A loss that has a report now is listed.
        LossReports.remove(loss("1"), besides: store)
        LossReports.write("Listed.", of: loss("9"), besides: store, at: now)
        let accounts = LossReports.read(besides: store).map(\.account)
        #expect(accounts == ["Listed."] + Array(repeating: "Loss.", count: 7))
    }

    @Test func `who removes the file of the losses without a report has taken note of them`() throws
    {
        writeUnlisted(2)
        let losses = LossReports.read(besides: configuration.path)
        let path = try #require(losses.last).path
        try #require(unlink(path) == 0)
        #expect(LossReports.standing(losses) == Array(losses.dropLast()))
        #expect(LossReports.read(besides: configuration.path) == Array(losses.dropLast()))
    }

    @Test func `of more losses than a file may name the number is told as the least`() throws {
        let store = configuration.path
        writeUnlisted(1)
        let path = try #require(LossReports.read(besides: store).last).path
        let line = "7-1_1-8000000000000001_0\n"
        let lines = String(repeating: line, count: UnlistedLosses.countMax + 5)
        try RestoredFile.write(Array("junk\n\(lines)".utf8), to: path)
        var told: StoreLoss? { LossReports.read(besides: store).last }
        #expect(told?.count == UnlistedLosses.countMax)
        LossReports.write("Loss.", of: loss("99"), besides: store, at: now)
        #expect(told?.account.hasPrefix("And at least 1000 more losses") == true)
        LossReports.remove(loss("99"), besides: store)
        #expect(told?.account.hasPrefix("And at least 999 more losses") == true)
    }

    @Test func `rescues beyond those that are listed are told by their number`() {
        let store = configuration.path
        for number in 1...(LossReports.countMax + 3) {
            LossReports.write("Rescue \(number).", besides: "\(store).damaged-\(number)")
        }
        let losses = LossReports.read(besides: store)
        let listed = (4...(LossReports.countMax + 3)).map { "Rescue \($0)." }
        #expect(losses.dropLast().map(\.account) == listed)
        #expect(losses.last?.account.hasPrefix("And 3 earlier losses are not listed") == true)
        #expect(losses.last?.path == "\(store).damaged-3-report")
    }

    @Test(arguments: [100, 139, 140, 141, 145, 146, 200, 230])
    func `a store has reports however long its name is`(byteCount: Int) {
        let name = String(repeating: "n", count: byteCount - 1)
        let (store, other) = ("\(folder.path)/\(name)1", "\(folder.path)/\(name)2")
        let early = Timestamp(seconds: .min, nanoseconds: 0)
        let loss = LossName(
            of: "bundle a", madeAt: Timestamp(seconds: -1, nanoseconds: 999_999_999))
        LossReports.write("One.", of: loss, besides: store, at: early)
        LossReports.write("Two.", of: loss, besides: other, at: early)
        #expect(LossReports.read(besides: store).map(\.account) == ["One."])
        #expect(LossReports.read(besides: other).map(\.account) == ["Two."])
        LossReports.remove(loss, besides: store)
        #expect(LossReports.read(besides: store).isEmpty)
        #expect(LossReports.read(besides: other).map(\.account) == ["Two."])
    }

    @Test func `a report that the disk refuses leaves the earlier one of the rescue`() throws {
        let path = configuration.files.setAsidePath(at: now)
        LossReports.write("One.", besides: path)
        try #require(mkdir("\(path)-report.\(getpid()).part", 0o700) == 0)
        LossReports.write("Two.", besides: path)
        #expect(LossReports.read(besides: configuration.path).map(\.account) == ["One."])
    }

    @Test func `a report that the disk refuses leaves the earlier one of an engine's loss`() throws
    {
        let store = configuration.path
        LossReports.write("One.", of: loss("a"), besides: store, at: now)
        let report = try #require(LossReports.read(besides: store).first).path
        let refused = report.replacing(".lost-5-", with: ".lost-6-")
        try #require(mkdir("\(refused).\(getpid()).part", 0o700) == 0)
        let later = now.advanced(by: .seconds(1))
        LossReports.write("Two.", of: loss("a"), besides: store, at: later)
        #expect(LossReports.read(besides: store).map(\.account) == ["One."])
    }

    @Test func `a log that stays away is told of once`() throws {
        do {
            let store = try SQLiteStore(configuration)
            for number in Int64(1)...3 { try append(number, to: store) }
            try #require(store.intake.log != nil)
        }
        for _ in 0..<2 {
            unlink(configuration.path + "-intake")
            #expect(try opened().count == 1)
        }
    }
}
