import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite

/// The group store over a content that is not Firestore's.
struct GroupStoreTests {
    private let bench = TallyBench()

    private func add(_ number: Int64, to name: String, in store: GroupStore<TallyContent<FirstEra>>)
        throws
    {
        try store.change { turn throws(StoreError) in try turn.add(number, to: name) }
    }

    @Test func `what any content commits is there after a crash, from the intake log or the file`()
        throws
    {
        let store = try bench.open(FirstEra.self)
        for number in Int64(1)...5 { try add(number, to: "a", in: store) }
        #expect(store.intake.pendingCount == 4)
        #expect(store.version == StoreVersion(5))
        let (again, _) = try bench.crashed(FirstEra.self)
        #expect(again.version == StoreVersion(5))
        #expect(try again.count(of: "a") == 15)
        #expect(try store.readCount(of: "a") == 15)
    }

    @Test func `a turn that fails undoes what it did on the disk and in memory, and no other`()
        throws
    {
        let store = try bench.open(FirstEra.self)
        try add(1, to: "a", in: store)
        try store.begin()
        try store.run { turn throws(StoreError) in try turn.add(1, to: "a") }
        #expect(throws: StoreError.io("stop")) {
            try store.run { turn throws(StoreError) in
                try turn.add(10, to: "a")
                throw .io("stop")
            }
        }
        try store.run { turn throws(StoreError) in try turn.add(1, to: "a") }
        try store.commit()
        #expect(try store.count(of: "a") == 3)
        let (again, _) = try bench.crashed(FirstEra.self)
        #expect(try again.count(of: "a") == 3)
    }

    @Test func `a group that the intake log cannot tell is committed, with those that wait`() throws
    {
        let store = try bench.open(FirstEra.self)
        for number in Int64(1)...3 { try add(number, to: "a", in: store) }
        try store.change { turn throws(StoreError) in
            try turn.clear()
            try turn.add(7, to: "b")
        }
        #expect(!store.intake.hasPending)
        let (again, _) = try bench.crashed(FirstEra.self)
        #expect(again.version == StoreVersion(4))
        #expect(try again.count(of: "a") == 0)
        #expect(try again.count(of: "b") == 7)
    }

    @Test func `a statement that does not fit the tables is a misfit, and a misfit is damage`()
        throws
    {
        let store = try bench.open(FirstEra.self)
        let error = #expect(throws: StoreError.self) {
            _ = try store.connection.number("SELECT gone FROM tallies")
        }
        guard case .misfit(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("no such column: gone"))
        #expect(error?.damage == reason)
    }

    @Test func `files are removed and set aside by whoever has the lock alone`() throws {
        let files: StoreFiles
        do {
            let store = try bench.open(FirstEra.self)
            files = store.configuration.files
            try add(1, to: "a", in: store)
            #expect(throws: StoreError.self) { try files.remove() }
        }
        let path = files.setAsidePath(at: .init(seconds: 5, nanoseconds: 0))
        try files.whileLocked { () throws(StoreError) in try files.setAside(to: path) }
        #expect(bench.folder.files.contains("tally.db.damaged-5"))
        #expect(!bench.folder.files.contains("tally.db"))
        try files.remove()
        #expect(bench.folder.files.allSatisfy { $0.hasPrefix("tally.db.damaged-5") })
    }
}
