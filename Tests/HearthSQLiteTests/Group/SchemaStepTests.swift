import HearthEngine
import HearthTestSupport
import Testing

@testable import HearthSQLite

/// Steps of a schema that are statements, and steps that are code.
struct SchemaStepTests {
    private let bench = TallyBench()

    /// A later program, which keeps twice of everything, as no statement but its code says.
    private enum DoubledEra: TallyEra {
        static let steps = [
            SchemaStep.sql(FirstEra.tables),
            .swift { connection throws(StoreError) in
                try connection.execute("UPDATE tallies SET count = 2 * count")
            },
        ]
    }

    /// A later program whose step fails after the step has done something.
    private enum FailingEra: TallyEra {
        static let steps = [
            SchemaStep.sql(FirstEra.tables),
            .swift { connection throws(StoreError) in
                try connection.execute("DELETE FROM tallies")
                throw .io("stop")
            },
        ]
    }

    private func filled() throws {
        let store = try bench.open(FirstEra.self)
        try store.change { turn throws(StoreError) in try turn.add(3, to: "a") }
    }

    @Test func `a step in Swift changes the rows of an older file, once`() throws {
        try filled()
        for migratedFrom in [1, nil] {
            let store = try bench.open(DoubledEra.self)
            #expect(store.migratedFrom == migratedFrom)
            #expect(try store.count(of: "a") == 6)
        }
    }

    @Test func `a step in Swift that fails leaves the file as it was`() throws {
        try filled()
        #expect(throws: StoreError.io("stop")) { _ = try bench.open(FailingEra.self) }
        let store = try bench.open(FirstEra.self)
        #expect(try store.count(of: "a") == 3)
    }
}
