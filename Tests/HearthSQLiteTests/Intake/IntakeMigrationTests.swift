import HearthEngine
import HearthTestSupport
import Testing

@testable import HearthSQLite

/// The intake log of a program that was ended, and a later program whose schema is another.
struct IntakeMigrationTests {
    private let bench = TallyBench()

    /// A later program, which keeps twice of everything.
    private enum DoubledEra: TallyEra {
        static let steps = [
            SchemaStep.sql(FirstEra.tables), .sql("UPDATE tallies SET count = 2 * count"),
        ]
    }

    /// A later program whose tables and statements have one more column.
    private enum WideEra: TallyEra {
        static let steps = [
            SchemaStep.sql(FirstEra.tables),
            .sql("ALTER TABLE tallies ADD COLUMN noted INTEGER NOT NULL DEFAULT 0"),
        ]
        static var insert: StaticString {
            "INSERT OR REPLACE INTO tallies (name, count, noted) VALUES (?, ?, 1)"
        }
    }

    /// The same program, which also declares that the log reads the same for both forms of the
    /// table.
    private enum CarefulEra: TallyEra {
        static var steps: [SchemaStep] { WideEra.steps }
        static var intakeVersion: Int { 2 }
        static var insert: StaticString { WideEra.insert }
    }

    /// Three groups, one in the file and two in the log, after a crash has left a part of them.
    private func crashed() throws -> TallyBench {
        let store = try bench.open(FirstEra.self)
        for number in Int64(1)...3 {
            try store.change { turn throws(StoreError) in try turn.add(number, to: "a") }
        }
        try #require(store.intake.pendingCount == 2)
        return try bench.copied()
    }

    @Test func `a log of an older schema is taken up before the file is migrated`() throws {
        let copy = try crashed()
        let store = try copy.open(DoubledEra.self)
        #expect(store.migratedFrom == 1)
        #expect(store.version == StoreVersion(3))
        // In the other order it would be 2, to which the log adds 5 that nobody doubled.
        #expect(try store.count(of: "a") == 12)
        #expect(try store.readCount(of: "a") == 12)
        try store.change { turn throws(StoreError) in try turn.add(1, to: "a") }
        #expect(try copy.copied().open(DoubledEra.self).count(of: "a") == 13)
    }

    @Test func `a log that does not fit its tables is refused, and its own program still opens it`()
        throws
    {
        let copy = try crashed()
        let error = #expect(throws: StoreError.self) { _ = try copy.open(WideEra.self) }
        guard case .foreign(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("no column named noted"))
        #expect(reason.contains("Open the database once with the program that wrote it"))
        let store = try copy.open(FirstEra.self)
        #expect(store.version == StoreVersion(3))
        #expect(try store.count(of: "a") == 6)
    }

    @Test func `a step that entries do not mind runs in front of the log`() throws {
        let store = try crashed().open(CarefulEra.self)
        #expect(store.migratedFrom == 1)
        #expect(try store.count(of: "a") == 6)
    }

    @Test func `without a log that waits, every step is taken`() throws {
        do {
            let store = try bench.open(FirstEra.self)
            try store.change { turn throws(StoreError) in try turn.add(3, to: "a") }
        }
        #expect(try bench.open(WideEra.self).count(of: "a") == 3)
    }
}
