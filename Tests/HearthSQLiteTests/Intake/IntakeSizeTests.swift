import Glibc
import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite

/// A log that begins small, and grows when there is much to do.
struct IntakeSizeTests {
    private static let full = 1 << 20
    private let bench = TallyBench()

    private var byteCount: Int { bench.folder.byteCount(of: "tally.db-intake") }

    private func add(to names: [String], in store: GroupStore<TallyContent<FirstEra>>) throws {
        try store.change { turn throws(StoreError) in
            for name in names { try turn.add(1, to: name) }
        }
    }

    /// Names that are longer together than half of a small log.
    private static let long = (0..<50).map { "\($0)" + String(repeating: "x", count: 4_000) }

    @Test func `the log begins small, becomes full under load, and is small after a restart`()
        throws
    {
        do {
            let store = try bench.open(FirstEra.self, intakeByteCount: Self.full)
            for _ in 0..<20 { try add(to: ["a"], in: store) }
            #expect(byteCount == StoreLimits.smallIntakeByteCount)
            try add(to: Self.long, in: store)
            #expect(store.intake.log == nil)
            try add(to: ["a"], in: store)
            #expect(byteCount == Self.full)
            try add(to: Self.long, in: store)
            #expect(store.intake.pendingCount == 1)
            let (again, _) = try bench.crashed(FirstEra.self)
            #expect(try again.count(of: "a") == 21)
            #expect(try again.count(of: Self.long[7]) == 2)
        }
        let store = try bench.open(FirstEra.self, intakeByteCount: Self.full)
        try add(to: ["a"], in: store)
        #expect(byteCount == StoreLimits.smallIntakeByteCount)
        try add(to: ["a"], in: store)
        let (again, _) = try bench.crashed(FirstEra.self)
        #expect(try again.count(of: "a") == 23)
    }

    @Test func `a disk that refuses the full log leaves the store its small log`() throws {
        let path = "\(bench.folder.path)/tally.db-intake"
        do {
            let store = try bench.open(FirstEra.self, intakeByteCount: Self.full)
            for _ in 0..<3 { try add(to: ["a"], in: store) }
            try add(to: Self.long, in: store)
            try #require(store.intake.isFull)
            // The log is made of no link, so the making fails as on a disk without room.
            try #require(rename(path, path + "-aside") == 0)
            try #require(symlink(path + "-aside", path) == 0)
            try add(to: ["a"], in: store)
            #expect(store.intake.log == nil)
            #expect(store.intake.restCount == 0)
            try #require(rename(path + "-aside", path) == 0)
            for _ in 0..<2 { try add(to: ["a"], in: store) }
            #expect(store.intake.pendingCount == 1)
            #expect(byteCount == StoreLimits.smallIntakeByteCount)
            // The small log is too small again, and stays: the disk is not asked at each commit.
            try add(to: Self.long, in: store)
            #expect(store.intake.log != nil)
            try add(to: ["a"], in: store)
            #expect(store.intake.pendingCount == 1)
            let (again, _) = try bench.crashed(FirstEra.self)
            #expect(try again.count(of: "a") == 7)
            store.intake.growthRestCount = 0
            try add(to: Self.long, in: store)
            try add(to: ["a"], in: store)
            #expect(byteCount == Self.full)
        }
        let store = try bench.open(FirstEra.self, intakeByteCount: Self.full)
        #expect(try store.count(of: "a") == 8)
        #expect(try store.count(of: Self.long[7]) == 3)
    }

    @Test func `a salt tells the size of its log, and one of an earlier program a full log`() {
        for size in [IntakeSize(full: Self.full), IntakeSize(smallBeside: Self.full)] {
            for _ in 0..<200 {
                #expect(IntakeSize(ofSalt: size.makeSalt(), full: Self.full) == size)
            }
        }
        #expect(IntakeSize(ofSalt: 77, full: Self.full).byteCount == Self.full)
        #expect(IntakeSize(smallBeside: 8_192).byteCount == 8_192)
    }
}
