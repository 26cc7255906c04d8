import HearthModel
import HearthRealtime
import HearthSQLite
import HearthStore
import HearthTestSupport
import HearthWire
import Testing

/// Whole but wrong requests to an instance of the Realtime Database, and whatever its service says,
/// given to a session with its engine and its store. A trap would end the tests, as it would end the
/// daemon for everybody.
struct HostileInstanceRequestTests {
    @Test(arguments: UInt64(1)...UInt64(60))
    func `whatever a client and an instance's service say, they are answered or refused`(
        seed: UInt64
    ) throws {
        var chance = InstanceRequestChance(seed: seed)
        var steps: [RequestStep] = []
        for round in 0..<60 {
            chance.mutate(&steps)
            // In memory nearly always, since a database takes some milliseconds to make.
            if round % 12 == 11 { try run(steps, "seed \(seed)", onDisk: seed % 10 == 0) }
        }
    }

    @Test func `inputs of the instances' corpus are answered or refused, in memory and on disk`()
        throws
    {
        let inputs = FuzzCorpus.inputs(of: "InstanceRequests")
        #expect(inputs.count > 3)
        for (name, bytes) in inputs { try run(RequestStep.steps(in: bytes.dropFirst()), name) }
    }

    /// Otherwise the other tests would show nothing.
    @Test func `chance has writes accepted and answered, nodes shown and requests refused`() {
        var replies: [Event] = []
        var nodeCount = 0
        for seed in UInt64(1)...40 {
            var chance = InstanceRequestChance(seed: seed)
            var steps: [RequestStep] = []
            for _ in 0..<60 { chance.mutate(&steps) }
            let bench = InstanceRequestBench(on: RealtimeMemoryStore())
            bench.run(steps)
            replies += bench.replies
            nodeCount += bench.nodeCount
        }
        #expect(nodeCount > 0)
        #expect(replies.contains { if case .writeAccepted = $0 { true } else { false } })
        #expect(replies.contains { if case .writeCommitted = $0 { true } else { false } })
        #expect(replies.contains { if case .writeRejected = $0 { true } else { false } })
        #expect(replies.contains { if case .failed = $0 { true } else { false } })
    }

    private func run(_ steps: [RequestStep], _ name: String, onDisk: Bool = true) throws {
        for fence in [nil, "fences"] as [RealtimePath?] {
            let memory = InstanceRequestBench(on: RealtimeMemoryStore(), fence: fence)
            memory.run(steps)
            #expect(memory.failures.isEmpty, "\(name)")
        }
        guard onDisk else { return }
        let folder = TemporaryFolder()
        let store = try RealtimeSQLiteStore(
            RealtimeStoreConfiguration(
                path: folder.path + "/demo.sqlite", instance: InstanceRequestBench.instance))
        let disk = InstanceRequestBench(on: store)
        disk.run(steps)
        #expect(disk.failures.isEmpty, "\(name)")
    }
}
