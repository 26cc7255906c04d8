import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// One instance of the Realtime Database in a backup, read without a daemon.
struct BackedUpInstanceTests {
    private let bench = BackupBench()
    private let place = TemporaryFolder()

    private func node(_ numbers: [String: Int64]) -> Node {
        numbers.reduce(Node.empty) { tree, entry in
            tree.settingChild(ChildKey(unchecked: entry.key), to: Node(.integer(entry.value)))
        }
    }

    @Test func `the cached tree comes without or with the waiting writes of a user`() throws {
        try bench.fill()
        let instance = try #require(BackupBench.instance)
        let told = node(["w2": 20, "x": 1])
        do {
            let store = try RealtimeSQLiteStore(
                RealtimeStoreConfiguration(path: bench.realtimePath, instance: instance))
            try store.transaction { transaction throws(StoreError) in
                try transaction.setServerNode(told, at: WritePath(RealtimePath.root))
            }
        }
        let file = try BackupBench.file(of: try bench.backup())
        let source = try BackedUpDatabase(
            BackupBench.database, of: file, at: place.path + "/copy")
        #expect(source.instances == [instance])
        do {
            let copy = try BackedUpInstance(instance, of: file, at: place.path + "/copy-0")
            let users = try copy.users()
            #expect(users == [BackupBench.user])
            let (plain, local) = (try copy.tree(of: nil), try copy.tree(of: BackupBench.user))
            #expect(plain == told)
            // Each write of the bench sets a place of its own.
            #expect(local == node(["w1": 1, "w2": 2, "w3": 3, "x": 1]))
            let others = try copy.tree(of: UserID("other"))
            #expect(others == told)
            var writes: [BatchID] = []
            try copy.forEachWrite { writes.append($0.id) }
            #expect(writes == [BatchID(1), BatchID(2), BatchID(3)])
        }
        #expect(!place.files.contains("copy-0"))
    }
}
