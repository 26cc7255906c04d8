import Hearth
import HearthTestSupport
import Testing

/// The indexes of the cache, and how it answers: through the library and the command line.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct IndexTests {
    @Test func `an index that one program asks for serves the queries of another`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let (client, other) = (machine.client(), machine.client())
        for start in stride(from: 0, to: 200, by: 50) {
            let batch = client.batch()
            for number in start..<start + 50 {
                batch.setData(
                    ["n": number, "tags": ["t\(number % 50)"]],
                    forDocument: client.document("rooms/r\(number)"))
            }
            try await batch.commit(until: .accepted)
        }
        let query = other.collection("rooms").whereField("n", isGreaterThan: 196)
        let scan = try await query.explain()
        #expect(scan.plan == "full scan")
        #expect(scan.matchedCount == 3)
        let manager = try #require(client.persistentCacheIndexManager)
        let index = CacheIndex(collectionGroup: "rooms", fields: [.init("n")])
        try await manager.createIndex(index)
        _ = try await eventually {
            try await manager.indexes().indexes
        } is: {
            $0.map(\.description) == ["rooms(n asc)"] && $0[0].isComplete
        }
        let found = try await query.explain()
        #expect(found.plan == "index")
        #expect(found.indexes == ["rooms(n asc)"])
        #expect(found.examinedCount < scan.examinedCount)
        #expect(try await query.getDocuments(source: .cache).count == 3)
        try await manager.deleteIndex(index)
        #expect(try await query.explain().plan == "full scan")
    }

    @Test func `an index of a path is refused, since no query would be served by it`() async throws
    {
        let world = try World(isOnline: false)
        let client = try world.machine().client()
        let manager = try #require(client.persistentCacheIndexManager)
        let error = await #expect(throws: FirestoreError.self) {
            try await manager.createIndex(
                CacheIndex(collectionGroup: "rooms/hall/lamps", fields: [.init("n")]))
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("\"rooms/hall/lamps\" is a path") == true)
        #expect(try await manager.indexes().indexes.isEmpty)
    }

    @Test func `costly queries make their own index if they may`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        let batch = client.batch()
        for number in 0..<200 {
            batch.setData(["n": number], forDocument: client.document("rooms/r\(number)"))
        }
        try await batch.commit(until: .accepted)
        let manager = try #require(client.persistentCacheIndexManager)
        #expect(try await manager.setIndexAutoCreation(isEnabled: true).createsAutomatically)
        let query = client.collection("rooms").whereField("n", isEqualTo: 7)
        #expect(try await query.getDocuments(source: .cache).count == 1)
        let made = try await eventually {
            try await manager.indexes().indexes
        } is: {
            $0.first?.isComplete == true
        }
        #expect(made.first?.isAutomatic == true)
        manager.disableIndexAutoCreation()
        manager.deleteAllIndexes()
        _ = try await eventually {
            try await manager.indexes()
        } is: {
            $0.indexes.isEmpty && !$0.createsAutomatically
        }
    }

    @Test func `the command line lists, makes, loads, drops and explains`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()
        func hearth(_ arguments: String...) throws -> CommandRun {
            try CommandRun(world, machine, arguments)
        }
        #expect(try hearth("set", "rooms/hall", "n=3").status == 0)
        #expect(try hearth("index", "list").output.isEmpty)
        #expect(try hearth("index", "create", "rooms", "n", "tags:contains").status == 0)
        #expect(try hearth("index", "create", "rooms").status == 1)
        let file = world.write(
            #"{"indexes":[{"collectionGroup":"rooms","queryScope":"COLLECTION","#
                + #""fields":[{"fieldPath":"n","order":"DESCENDING"}]}]}"#, to: "indexes.json")
        #expect(try hearth("index", "load", file).status == 0)
        let listed = try hearth("index", "list", "--json").output.first
        #expect(
            listed?.hasPrefix(#"{"indexes":[{"index":"rooms(n desc)","isAutomatic":false,"#) == true
        )
        #expect(try hearth("index", "auto", "on").complaints == ["automatic indexes on"])
        let explained = try hearth(
            "query", "rooms", "--where", "n > 1", "--order", "n:desc", "--explain", "--json")
        #expect(explained.output.first?.contains(#""matched":1"#) == true)
        #expect(try hearth("index", "drop", "rooms", "n:desc").output.isEmpty)
        #expect(try hearth("index", "drop").status == 64)
        #expect(try hearth("index", "drop", "--all").status == 0)
    }
}
