import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct RealtimeIntakeTests {
    @Test(arguments: UInt64(1)...8)
    func `at every moment, a crash leaves what a store without a log would have`(seed: UInt64)
        throws
    {
        let bench = try RealtimeBench(intakeByteCount: 7 * IntakePages.byteCount)
        let plain = try RealtimeBench(intakeByteCount: 0)
        var acts = RealtimeActs(seed: seed)
        var checkedCount = 0
        for _ in 0..<60 {
            let act = acts.next()
            try act(bench.store)
            try act(plain.store)
            let expected = try RealtimeActs.state(of: plain.store)
            #expect(try RealtimeActs.state(of: bench.store) == expected)
            let (again, copy) = try RealtimeBench.crashed(bench.folder)
            #expect(again.version == bench.store.version)
            if bench.store.intake.untold.isEmpty {
                checkedCount += 1
                #expect(try RealtimeActs.state(of: again) == expected)
                #expect(try IntakeActs.rows(of: again) == IntakeActs.rows(of: plain.store))
            } else {
                #expect(try RealtimeActs.state(of: again).queued == expected.queued)
            }
            _ = copy
        }
        #expect(checkedCount > 10)
        #expect(plain.store.intake.log == nil)
        #expect(bench.store.intake.log != nil)
    }

    @Test func `a write is durable in the log alone, and what the server said follows it`() throws {
        let bench = try RealtimeBench()
        for number in Int64(1)...3 {
            try RealtimeActs.accept(queuedWrite(number, user: RealtimeActs.user), in: bench.store)
        }
        #expect(bench.store.intake.pendingCount == 2)
        try bench.store.set(at("a/b"), Node(.integer(1)))
        #expect(!bench.store.intake.untold.isEmpty, "Losing it would do no harm")
        try RealtimeActs.accept(queuedWrite(4, user: RealtimeActs.user), in: bench.store)
        let (again, _) = try RealtimeBench.crashed(bench.folder)
        #expect(try again.node("a/b") == Node(.integer(1)))
        #expect(try RealtimeActs.state(of: again).queued.map(\.id.rawValue) == [1, 2, 3, 4])
    }

    @Test func `a large node is committed, and not told to the log`() throws {
        let bench = try RealtimeBench()
        for number in Int64(1)...2 {
            try RealtimeActs.accept(queuedWrite(number, user: RealtimeActs.user), in: bench.store)
        }
        #expect(bench.store.intake.pendingCount == 1)
        let children = (0..<3_000).map {
            (key: ChildKey(unchecked: "k\($0)"), node: Node(.string("some text of a child")))
        }
        try bench.store.set(at("big"), Node(children: children))
        #expect(bench.store.intake.pendingCount == 0)
        let (again, _) = try RealtimeBench.crashed(bench.folder)
        #expect(try again.node("big").childCount == 3_000)
    }

    @Test func `an undone turn leaves neither rows nor tallies nor entries`() throws {
        let bench = try RealtimeBench()
        for number in Int64(1)...2 {
            try RealtimeActs.accept(queuedWrite(number, user: RealtimeActs.user), in: bench.store)
        }
        try bench.store.set(at("a"), Node(.integer(1)))
        let before = try RealtimeActs.state(of: bench.store)
        bench.store.failing = [.applyPush]
        #expect(throws: StoreError.io("the step \"Apply a push\" was made to fail")) {
            try bench.write { transaction in
                try transaction.setServerNode(Node(.integer(2)), at: at("a/b"))
                try transaction.append(queuedWrite(3, user: RealtimeActs.user))
                try transaction.noteSent(through: BatchID(3), of: RealtimeActs.user)
                try transaction.enter(.applyPush)
            }
        }
        #expect(try RealtimeActs.state(of: bench.store) == before)
        bench.store.failing = []
        try RealtimeActs.accept(queuedWrite(3, user: RealtimeActs.user), in: bench.store)
        let (again, _) = try RealtimeBench.crashed(bench.folder)
        #expect(try RealtimeActs.state(of: again) == RealtimeActs.state(of: bench.store))
    }

    @Test func `bytes that no group leaves are damage`() throws {
        var chance = RealtimeChance(seed: 3)
        var writer = IntakeWriter()
        writer.queuedWrite(
            queuedWrite(1), change: ChangeBytes.bytes(of: queuedWrite(1).change))
        writer.serverNode([6, 1, 1, 0x61, 2], at: at("a"))
        writer.trackedKeys(of: TrackedQueryID(1), added: ["a"], removed: ["b"])
        let whole = writer.bytes
        #expect(try RealtimeIntakeEntry.entries(from: whole).count == 3)
        for _ in 0..<2_000 {
            var bytes = whole
            bytes[chance.chance(bytes.count)] = UInt8(chance.chance(256))
            if chance.chance(2) == 0 { bytes.removeLast(chance.chance(bytes.count)) }
            do {
                _ = try RealtimeIntakeEntry.entries(from: bytes)
            } catch {
                guard case .damaged = error else {
                    Issue.record("\(bytes) was \(error)")
                    continue
                }
            }
        }
        var priority = IntakeWriter()
        priority.serverNode([2], at: at("a", isPriority: true))
        #expect(throws: IntakeReader.damage) {
            try RealtimeIntakeEntry.entries(from: priority.bytes)
        }
    }
}
