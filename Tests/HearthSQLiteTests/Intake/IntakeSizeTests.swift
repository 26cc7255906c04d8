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
