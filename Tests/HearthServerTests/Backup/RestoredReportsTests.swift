import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// What becomes of the reports of losses beside a store that a restore replaces.
struct RestoredReportsTests {
    private let bench = BackupBench()
    private let target = BackupBench()

    init() throws { try bench.fill() }

    /// Leaves reports beside the target's store: of more losses than are listed, and of a rescue.
    private func leaveReports() {
        let now = Timestamp(seconds: 5, nanoseconds: 0)
        for number in 1...(LossReports.toldCountMax + 1) {
            let loss = LossName(of: "bundle \(number)", madeAt: now)
            LossReports.write("Cut.", of: loss, besides: target.path, at: now)
        }
        LossReports.write("Rescue.", besides: target.path + ".damaged-5")
    }

    @Test(arguments: [false, true])
    func `the reports of a replaced cache go with its store, and the reports of rescues stay`(
        isPutAside: Bool
    ) throws {
        if isPutAside {
            try target.fill()
        } else {
            try StoreFolder.makeFolders(above: target.path)
            _ = try SQLiteStore(
                StoreConfiguration(path: target.path, database: BackupBench.database))
        }
        leaveReports()
        let outcome = try target.restore(try bench.backup(), .init(replacesUnsent: isPutAside))
        #expect(LossReports.read(besides: target.path).map(\.account) == ["Rescue."])
        #expect(outcome.lossCount == LossReports.toldCountMax + 1)
        let note = RestoreMark.takeNote(in: target.folder.path)
        #expect(note?.contains("The reports of 9 losses of the replaced databases have") == true)
        let aside = outcome.setAside.filter { $0.hasPrefix(target.path + ".") }
        #expect(aside.count == (isPutAside ? 1 : 0))
        for path in aside {
            let counts = LossReports.read(besides: path).map(\.count)
            #expect(counts == Array(repeating: 1, count: LossReports.toldCountMax + 1))
        }
        let left = target.folder.path + "/firestore/demo"
        #expect(
            StoreFolder.names(in: left).count { $0.contains(".lost-") } == (isPutAside ? 9 : 0))
    }

    @Test func `a restored store knows of its own which bundle was not loaded whole`() throws {
        let madeAt = SnapshotVersion(Timestamp(seconds: 9, nanoseconds: 0))
        let begun = BegunBundle(
            record: BundleRecord(id: "news", createdAt: madeAt, version: 1), documentCount: 5,
            queryCount: 1)
        do {
            let store = try SQLiteStore(
                StoreConfiguration(path: bench.path, database: BackupBench.database))
            try store.transaction { transaction throws(StoreError) in
                try transaction.setBegunBundle(begun)
            }
        }
        try target.restore(try bench.backup())
        let store = try SQLiteStore(
            StoreConfiguration(path: target.path, database: BackupBench.database))
        let found = try store.transaction { transaction throws(StoreError) in
            try transaction.begunBundles()
        }
        #expect(found == [begun])
    }
}
