import HearthFirestore
import HearthModel
import HearthProtocol
import HearthSQLite
import HearthStore
import HearthTestSupport
import HearthWire
import Testing

/// Whole but wrong requests, given to a session with its engine and its store. A trap would end the
/// tests, as it would end the daemon for everybody.
struct HostileRequestTests {
    private static let codec = WireCodec(database: RequestBench.database)

    private func step(_ request: Request, number: UInt8 = 7) throws -> RequestStep {
        let frame = try Self.codec.frame(of: request, number: 1)
        return RequestStep(kindByte: frame.kind, number: number, body: frame.body)
    }

    private func bundle(_ elements: [String]) -> [UInt8] {
        let head =
            #"{"metadata":{"id":"b","createTime":"2020-01-01T00:00:00Z","version":1,"#
            + #""totalDocuments":\#(elements.count { $0.contains("documentMetadata") }),"#
            + #""totalBytes":"0"}}"#
        return ([head] + elements).flatMap { Array("\($0.utf8.count)\($0)".utf8) }
    }

    private func codes(_ bench: RequestBench) -> [StatusCode] {
        bench.replies.compactMap { if case .failed(let error) = $0 { error.code } else { nil } }
    }

    @Test(arguments: [
        (#""a/b""#, "documents"), (#""/\u0301""#, "documents"), (#""""#, "documents"),
        (#""hall""#, "documents/rooms"), (#""__x__""#, "documents"),
    ])
    func `a bundle with a query for no collection is refused`(id: String, parent: String) throws {
        let query =
            #"{"namedQuery":{"name":"q","bundledQuery":{"parent":"projects/demo/databases/(default)/"#
            + #"\#(parent)","structuredQuery":{"from":[{"collectionId":\#(id)}],"where":"#
            + #"{"fieldFilter":{"field":{"fieldPath":"a"},"op":"EQUAL","value":{"nullValue":null}}}},"#
            + #""limitType":"FIRST"},"readTime":"2020-01-01T00:00:00Z"}}"#
        let bench = RequestBench(on: MemoryStore())
        bench.run([
            try step(.firestore(.loadBundle(.init(data: bundle([query]), hasMore: false)))),
            try step(.firestore(.getNamedQuery("q")), number: 8),
        ])
        #expect(codes(bench) == [.invalidArgument])
        #expect(bench.failures.isEmpty)
    }

    @Test func `a bundle with a document of no time is refused`() throws {
        let name = #""name":"projects/demo/databases/(default)/documents/rooms/hall""#
        let bench = RequestBench(on: MemoryStore())
        bench.run([
            try step(
                .firestore(
                    .loadBundle(
                        .init(
                            data: bundle([
                                #"{"documentMetadata":{\#(name),"exists":true}}"#,
                                #"{"document":{\#(name),"fields":{}}}"#,
                            ]), hasMore: false))))
        ])
        #expect(codes(bench) == [.invalidArgument])
    }

    @Test func `inputs of the corpus are answered or refused, in memory and on disk`() throws {
        let inputs = FuzzCorpus.inputs(of: "Requests")
        #expect(inputs.count > 20)
        for (name, bytes) in inputs {
            try run(RequestStep.steps(in: bytes.dropFirst()), "\(name)")
        }
    }

    @Test(arguments: UInt64(1)...UInt64(60))
    func `whatever a client and a backend say, they are answered or refused`(seed: UInt64) throws {
        var chance = RequestChance(seed: seed)
        var steps: [RequestStep] = []
        for round in 0..<40 {
            chance.mutate(&steps)
            // In memory nearly always, since a database takes some milliseconds to make.
            if round % 8 == 7 { try run(steps, "seed \(seed)", onDisk: seed % 10 == 0) }
        }
    }

    private func run(
        _ steps: [RequestStep], _ name: String, onDisk: Bool = true
    ) throws {
        let memory = RequestBench(on: MemoryStore())
        memory.run(steps)
        #expect(memory.failures.isEmpty, "\(name)")
        guard onDisk else { return }
        let folder = TemporaryFolder()
        let store = try SQLiteStore(
            StoreConfiguration(path: folder.path + "/demo.sqlite", database: RequestBench.database))
        let disk = RequestBench(on: store)
        disk.run(steps)
        #expect(disk.failures.isEmpty, "\(name)")
    }
}
