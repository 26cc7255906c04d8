import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthTestSupport
import Testing

@testable import HearthStore

/// The rows of the ledger in a store.
struct LedgerRowTests {
    private func row(
        _ day: Int64, _ name: String, uid: UInt32? = 1_000, reads: UInt64 = 1
    ) -> LedgerRow {
        LedgerRow(
            LedgerRow.Name(
                day: LedgerDay(day),
                program: LedgerProgram(uid: uid, unit: "u.service", name: name),
                shape: "rooms where a == ?"), sums: LedgerSums(reads: reads, aloneReads: reads * 2))
    }

    private func rows(
        _ bench: StoreBench, _ first: Int64, _ end: Int64, ofUser uid: UInt32? = nil
    ) throws -> Set<LedgerRow> {
        try bench.write { transaction in
            var rows: Set<LedgerRow> = []
            try transaction.ledgerRows(
                from: LedgerDay(first), before: LedgerDay(end), ofUser: uid
            ) { rows.insert($0) }
            return rows
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rows are found by their days and their user, the newest sums of each`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        let all = [row(1, "a"), row(2, "a"), row(2, "b", uid: 2_000), row(3, "a", uid: nil)]
        try bench.write { try $0.setLedgerRows(all) }
        try bench.write { try $0.setLedgerRows([row(2, "a", reads: 9)]) }
        #expect(try rows(bench, 1, 4).count == 4)
        #expect(try rows(bench, 2, 3) == [row(2, "a", reads: 9), row(2, "b", uid: 2_000)])
        #expect(try rows(bench, 1, 4, ofUser: 2_000) == [row(2, "b", uid: 2_000)])
    }

    @Test(arguments: StoreKind.allCases)
    func `rows of days that are over long ago are forgotten`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write { try $0.setLedgerRows([row(1, "a"), row(2, "a"), row(3, "a")]) }
        try bench.write { try $0.removeLedgerRows(before: LedgerDay(3)) }
        #expect(try rows(bench, 0, 10) == [row(3, "a")])
    }

    @Test(arguments: StoreKind.allCases)
    func `clearing the cache leaves the ledger, for what was read is billed`(kind: StoreKind) throws
    {
        let bench = try StoreBench(kind)
        try bench.write { try $0.setLedgerRows([row(1, "a")]) }
        try bench.write { try $0.removeAll() }
        #expect(try rows(bench, 0, 10) == [row(1, "a")])
    }

    @Test func `rows outlast the process, and the largest numbers too`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let largest = row(.max - 1, "a", uid: .max, reads: 1 << 62)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                try transaction.setLedgerRows([largest])
            }
        }
        var found: [LedgerRow] = []
        try SQLiteStore(configuration).transaction { transaction throws(StoreError) in
            try transaction.ledgerRows(
                from: LedgerDay(.min), before: LedgerDay(.max), ofUser: nil
            ) { found.append($0) }
        }
        #expect(found.map(\.name) == [largest.name])
        #expect(found.first?.sums.reads == 1 << 62)
        #expect(found.first?.sums.aloneReads == UInt64(Int64.max))
    }
}
