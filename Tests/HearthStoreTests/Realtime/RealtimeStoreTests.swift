import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct RealtimeStoreTests {
    @Test(arguments: UInt64(1)...3)
    func `a store that was closed opens as it was`(seed: UInt64) throws {
        let folder = TemporaryFolder()
        var acts = RealtimeActs(seed: seed)
        var expected = RealtimeActs.State()
        for _ in 0..<6 {
            let store = try RealtimeSQLiteStore(RealtimeBench.configuration(in: folder))
            if expected != RealtimeActs.State() {
                #expect(try RealtimeActs.state(of: store) == expected)
            }
            for _ in 0..<10 { try acts.next()(store) }
            expected = try RealtimeActs.state(of: store)
        }
        let store = try RealtimeSQLiteStore(RealtimeBench.configuration(in: folder))
        #expect(try RealtimeActs.state(of: store) == expected)
        #expect(try store.problems().isEmpty)
    }

    @Test(arguments: UInt64(1)...12)
    func `a store on disk tells what a store in memory tells`(seed: UInt64) throws {
        let (bench, memory) = (try RealtimeBench(), RealtimeMemoryStore())
        var acts = RealtimeActs(seed: seed)
        /// The two estimate sizes in ways of their own, and forget answers at other times.
        func comparable(_ store: any RealtimeStore) throws -> RealtimeActs.State {
            var state = try RealtimeActs.state(of: store)
            state.treeByteCount = 0
            state.load.byteCount = 0
            state.loadOfAuthor.byteCount = 0
            state.records = []
            return state
        }
        for _ in 0..<80 {
            let act = acts.next()
            try act(bench.store)
            try act(memory)
            #expect(try comparable(bench.store) == comparable(memory))
        }
    }

    @Test func `each step of the schema leads to its version, and the last is this program's`()
        throws
    {
        let folder = TemporaryFolder()
        let configuration = RealtimeBench.configuration(in: folder)
        #expect(RealtimeContent.intakeVersion <= RealtimeContent.steps.count)
        for version in 1...RealtimeContent.steps.count {
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            try Migrations(content: configuration.content).run(on: connection, to: version)
            #expect(try connection.number("PRAGMA user_version") == Int64(version))
        }
        #expect(try RealtimeSQLiteStore(configuration).migratedFrom == nil)
    }

    @Test func `the store of another database, of documents or of a later program is refused`()
        throws
    {
        let folder = TemporaryFolder()
        let configuration = RealtimeBench.configuration(in: folder)
        do { _ = try RealtimeSQLiteStore(configuration) }
        let other = RealtimeStoreConfiguration(
            path: configuration.path, instance: RealtimeBench.named("other"))
        expectForeign { _ = try RealtimeSQLiteStore(other) }
        let documents = StoreBench.configuration(in: folder)
        do { _ = try SQLiteStore(documents) }
        let mistaken = RealtimeStoreConfiguration(
            path: documents.path, instance: RealtimeBench.instance)
        expectForeign { _ = try RealtimeSQLiteStore(mistaken) }
        do {
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            try connection.execute("PRAGMA user_version = 99")
        }
        expectForeign { _ = try RealtimeSQLiteStore(configuration) }
    }

    private func expectForeign(_ body: () throws -> Void) {
        do {
            try body()
            Issue.record("A foreign file was opened")
        } catch let error as StoreError {
            guard case .foreign = error else {
                Issue.record("\(error)")
                return
            }
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `a reader shows the queue, the dead letters, the tree and the figures`() throws {
        let bench = try RealtimeBench()
        let (ann, bob) = (UserID("ann"), UserID("bob"))
        let letter = RealtimeDeadLetter(
            write: queuedWrite(9, user: ann), error: HearthError(code: .aborted, message: "No."),
            rejectedAt: Timestamp(seconds: 1, nanoseconds: 0), mayHaveBeenApplied: true)
        #expect(try bench.store.readers.read { r throws(StoreError) in try r.isBlank() }.value)
        try bench.write { transaction in
            for number in Int64(1)...3 {
                try transaction.append(queuedWrite(number, user: number == 2 ? bob : ann))
            }
            try transaction.setHeld(true, BatchID(1), of: ann)
            try transaction.appendDeadLetter(letter)
            try transaction.setServerNode(Node(.integer(1)), at: at("a"))
            try transaction.setTrackedQuery(
                TrackedQuery(
                    id: TrackedQueryID(1), target: ListenTarget("a", .all),
                    lastUse: Timestamp(seconds: 1, nanoseconds: 0), isComplete: true))
        }
        _ = try bench.store.readers.read { reader throws(StoreError) in
            let page = try reader.queuedWrites(after: BatchID(1), count: 10)
            #expect(page.map(\.id.rawValue) == [2, 3])
            #expect(page.map(\.user) == [bob, ann])
            let write = try reader.queuedWrite(BatchID(3))
            #expect(write == queuedWrite(3, user: ann))
            let held = try reader.firstHeldWrites()
            #expect(held == [ann: BatchID(1)])
            let letters = try reader.deadLetters(count: 10)
            #expect(letters == [letter])
            let size = try reader.deadLetterByteCount(BatchID(9))
            #expect(size == ChangeBytes.bytes(of: letter.write.change).count)
            let (known, unknown) = (try reader.isComplete("a/b"), try reader.isComplete("b"))
            #expect(known)
            #expect(!unknown)
            let counts = try reader.counts()
            #expect(counts.writeCount == 3)
            #expect(counts.heldWriteCount == 1)
            #expect(counts.oldestWrittenAt == queuedWrite(1).writtenAt)
            #expect(counts.deadLetterCount == 1)
            #expect(counts.queryCount == 1)
            #expect(counts.cacheByteCount > 0)
            let isBlank = try reader.isBlank()
            #expect(!isBlank)
        }
    }

    @Test(arguments: [1, 200])
    func `the children of a place are found by what their keys begin with`(filler: Int) throws {
        let bench = try RealtimeBench()
        var keys = [
            "0", "1", "2", "10", "12", "19", "100", "129", "1000000000", "-1", "-12", "-2", "12a",
            "1x", "ha", "hall", "halle", "hb", "h\u{301}", "h\u{10000}", "h\u{FFFD}", "H", "h",
        ]
        // Many rows of one place, so that it is in no chunk, and many keys beside those looked for.
        keys += (0..<filler).flatMap { ["\(5_000 + $0)", "g\($0)", "i\($0)"] }
        let list = Node(
            children: keys.map {
                (
                    key: ChildKey(unchecked: $0),
                    node: Node(.string(String(repeating: "x", count: filler)))
                )
            })
        try bench.store.set(at("list"), list)
        let prefixes = [
            "", "0", "1", "12", "10", "-", "-1", "9", "h", "ha", "hal", "h\u{301}", "h\u{10000}",
            "h\u{FFFD}", "H", "z", "1x", "12a", "/", "a.b",
        ]
        for prefix in prefixes {
            let found = try bench.store.readers.read { reader throws(StoreError) in
                try reader.children(of: "list", beginningWith: prefix, count: 1_000)
            }.value
            let expected = list.children.map(\.key).filter {
                $0.text.utf8.starts(with: prefix.utf8)
            }
            #expect(Set(found) == Set(expected), "\(prefix)")
            #expect(found.count == expected.count, "\(prefix)")
        }
        let few = try bench.store.readers.read { reader throws(StoreError) in
            try reader.children(of: "list", beginningWith: "1", count: 3)
        }.value
        #expect(few.map(\.text) == ["1", "10", "12"])
    }

    @Test func `what waiting writes make of a place is found, below, at and above it`() throws {
        let bench = try RealtimeBench()
        let hall = try NodeReader.read(Array(#"{"seats": 4}"#.utf8))
        let rooms = try NodeReader.read(Array(#"{"attic": 1, "hall": {"seats": 4}}"#.utf8))
        let tree = try NodeReader.read(Array(#"{"rooms": {"hut": {"n": 1}}, "x": 1}"#.utf8))
        let changes: [RealtimeChange] = [
            .set(at("rooms/hat/deep"), UnresolvedNode(Node(.integer(1)))),
            .update("rooms", [.init(at("hall"), hall), .init(at("gone"), UnresolvedNode(.empty))]),
            .set(at("rooms"), rooms), .set(at(.root), tree), .set(at("other/h"), hall),
            .set(at("rooms/hymn", isPriority: true), UnresolvedNode(Node(.integer(1)))),
        ]
        try bench.write { transaction in
            for (number, change) in changes.enumerated() {
                try transaction.append(queuedWrite(Int64(number) + 1, change))
            }
        }
        let found = try bench.store.readers.read { reader throws(StoreError) in
            try reader.waitingChildren(of: "rooms", beginningWith: "h")
        }.value
        #expect(found == ["hat": true, "hall": true, "hut": true])
        let all = try bench.store.readers.read { reader throws(StoreError) in
            try reader.waitingChildren(of: "rooms", beginningWith: "")
        }.value
        #expect(all["attic"] == false && all["gone"] == nil && all["hymn"] == nil)
    }

    @Test(arguments: [5, 400])
    func `the children of a place are listed in pages`(count: Int) throws {
        let bench = try RealtimeBench()
        let children = (0..<count).map { number in
            (
                key: ChildKey(unchecked: number % 2 == 0 ? "\(number)" : "k\(number)"),
                node: Node.empty.settingChild("n", to: Node(.integer(Int64(number))))
            )
        }
        let list = Node(children: children, priority: .integer(1))
        try bench.store.set(at("list"), list)
        var found: [ChildKey] = []
        while true {
            let page = try bench.store.readers.read { reader throws(StoreError) in
                try reader.children(of: "list", after: found.last, count: 7)
            }.value
            if page.isEmpty { break }
            found += page
        }
        #expect(found == list.children.map(\.key))
        let none = try bench.store.readers.read { reader throws(StoreError) in
            try reader.children(of: "nowhere", count: 7)
        }
        #expect(none.value == [])
    }
}
