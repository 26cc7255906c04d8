import Glibc
import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// Bundles: packed by one machine, loaded by another, and read by Google's own client.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct BundleTests {
    /// A machine whose cache knows three rooms from a query, with one waiting write.
    private func filled(_ world: World) async throws -> (machine: Machine, client: Firestore) {
        let machine = try world.machine("filled")
        let client = machine.client()
        for (name, lights) in [("attic", 1), ("cellar", 2), ("hall", 6)] {
            try await client.document("rooms/\(name)").setData([
                "lights": lights, "name": "ä\"\n\(name)", "at": FieldValue.serverTimestamp(),
            ])
        }
        _ = try await lit(client).getDocuments(source: .server)
        try await client.disableNetwork()
        try await client.document("rooms/hall").updateData(["lights": 7], until: .accepted)
        return (machine, client)
    }

    private func lit(_ client: Firestore) -> Query {
        client.collection("rooms").whereField("lights", isGreaterThan: 1).order(by: "lights")
    }

    @Test func `what one machine packs another loads, and its listeners go on from there`()
        async throws
    {
        let world = try World()
        let packed = try await filled(world).client
        let bytes = try await packed.buildBundle(
            named: "rooms", queries: [("lit", lit(packed))],
            documents: [packed.document("rooms/attic")])
        let client = try world.machine("empty").client()
        try await client.disableNetwork()
        let steps = Mutex<[LoadBundleTaskProgress]>([])
        let task = client.loadBundle(bytes, completion: nil)
        for await progress in task.updates { steps.withLock { $0.append(progress) } }
        let last = try #require(steps.withLock { $0 }.last)
        #expect(steps.withLock { $0 }.first?.state == .inProgress)
        #expect(last.state == .success)
        #expect(last.documentsLoaded == 3 && !last.wasSkipped)
        #expect(last.bytesLoaded == last.totalBytes)
        let named = try #require(try await client.namedQuery("lit"))
        let rooms = try await named.getDocuments(source: .cache)
        #expect(rooms.documents.map(\.documentID) == ["cellar", "hall"])
        #expect(rooms.documents.last?["lights"] as? Int == 6)
        #expect(rooms.documents.last?["name"] as? String == "ä\"\nhall")
        #expect(rooms.documents.last?["at"] is Timestamp)
        #expect(try await client.namedQuery("none") == nil)
        // The backend is told where to resume, and only what changed comes.
        try await packed.enableNetwork()
        try await packed.waitForPendingWrites()
        var snapshots = named.snapshots(includeMetadataChanges: true).makeAsyncIterator()
        _ = try await snapshots.first { $0.count == 2 && $0.metadata.isFromCache }
        try await client.enableNetwork()
        let fresh = try await snapshots.first { !$0.metadata.isFromCache }
        #expect(fresh.documents.last?["lights"] as? Int == 7)
        // It was loaded before, and is skipped.
        let again = try await client.loadBundle(bytes)
        #expect(again.state == .success && again.wasSkipped)
        #expect(again.documentsLoaded == 3)
        let hall = try await client.document("rooms/hall").getDocument(source: .cache)
        #expect(hall["lights"] as? Int == 7)
    }

    @Test func `a large bundle tells how far it is, and of a broken one nothing is stored`()
        async throws
    {
        let world = try World(isOnline: false)
        let client = try world.machine().client()
        let elements = Self.bigElements(count: 4)
        let byteCount = elements.utf8.count
        let head = Self.bigHead(count: 4, byteCount: byteCount)
        let whole = Array("\(head.utf8.count)\(head)\(elements)".utf8)
        let broken = client.loadBundle(whole.dropLast(10), completion: nil)
        var states: [LoadBundleTaskState] = []
        for await progress in broken.updates { states.append(progress.state) }
        #expect(states.last == .error)
        await #expect(throws: FirestoreError.self) {
            try await client.document("big/1").getDocument(source: .cache)
        }
        let task = client.loadBundle(whole, completion: nil)
        var bytes: [Int] = []
        for await progress in task.updates {
            bytes.append(progress.bytesLoaded)
            if progress.bytesLoaded > 0 {
                #expect(progress.totalDocuments == 4)
                #expect(progress.totalBytes == byteCount)
            }
        }
        #expect(bytes.count > 2)
        #expect(bytes == bytes.sorted())
        #expect(bytes.last == byteCount)
        let big = try await client.document("big/4").getDocument(source: .cache)
        #expect((big["x"] as? String)?.utf8.count == 600_000)
    }

    private static func bigHead(count: Int, byteCount: Int) -> String {
        let time = "2026-01-01T00:00:00Z"
        return """
            {"metadata":{"id":"big","createTime":"\(time)","version":1,\
            "totalDocuments":\(count),"totalBytes":"\(byteCount)"}}
            """
    }

    /// Documents of 600 kB each.
    private static func bigElements(count: Int) -> String {
        let text = String(repeating: "x", count: 600_000)
        let time = "2026-01-01T00:00:00Z"
        var elements = ""
        for number in 1...count {
            let name = "projects/demo/databases/(default)/documents/big/\(number)"
            let metadata = """
                {"documentMetadata":{"name":"\(name)","readTime":"\(time)","exists":true}}
                """
            let document = """
                {"document":{"name":"\(name)","updateTime":"\(time)",\
                "fields":{"x":{"stringValue":"\(text)"}}}}
                """
            for element in [metadata, document] {
                elements += "\(element.utf8.count)\(element)"
            }
        }
        return elements
    }

    @Test func `the command line packs, loads and queries`() async throws {
        let world = try World()
        let (machine, client) = try await filled(world)
        // Until then it keeps its write from being sent.
        defer { client.terminate(completion: nil) }
        let path = "\(world.folder.path)/rooms.bundle"
        let built = try CommandRun(
            world, machine,
            [
                "bundle", "build", "rooms", "--query", "lit=rooms where lights > 1 order lights",
                "--document", "rooms/attic", "-o", path,
            ])
        #expect(built.status == 0)
        let empty = try world.machine("empty")
        _ = try await empty.client().daemonStatus()
        let loaded = try CommandRun(world, empty, ["bundle", "load", path, "--json"])
        #expect(loaded.status == 0)
        #expect(loaded.output.first?.contains(#""state":"inProgress""#) == true)
        #expect(
            loaded.output.last?.hasPrefix(
                #"{"state":"success","documentsLoaded":3,"totalDocuments":3,"#) == true)
        #expect(loaded.output.last?.contains(#""wasSkipped":false"#) == true)
        let again = try CommandRun(world, empty, ["bundle", "load", path])
        #expect(again.status == 0)
        #expect(again.output.last?.hasPrefix("nothing taken: this bundle, or a newer one") == true)
        #expect(try CommandRun(world, empty, ["network", "off"]).status == 0)
        let query = try CommandRun(
            world, empty, ["bundle", "query", "lit", "--source", "cache", "--json"])
        #expect(query.output.count == 2)
        #expect(query.output.last?.contains(#""lights":6"#) == true)
        #expect(try CommandRun(world, empty, ["bundle", "query", "none"]).status == 1)
        let wrong = try CommandRun(
            world, empty, ["bundle", "load", "-"], input: "this is no bundle")
        #expect(wrong.status == 1)
        let unknown = try CommandRun(
            world, empty,
            ["bundle", "build", "b", "--document", "rooms/none", "-o", path])
        #expect(unknown.status == 1)
        #expect(unknown.complaints.first?.contains("not in the cache") == true)
    }

    @Test(.enabled(if: GooglePython.isInstalled, "\(GooglePython.absence)"))
    func `google's python client reads what was packed`() async throws {
        let world = try World()
        let client = try await filled(world).client
        let bytes = try await client.buildBundle(
            named: "rooms", queries: [("lit", lit(client)), ("all", client.collection("rooms"))],
            documents: [client.document("rooms/attic")])
        let path = world.write(String(decoding: bytes, as: UTF8.self), to: "rooms.bundle")
        let script = world.write(Self.program, to: "read.py")
        let log = "\(world.folder.path)/python.log"
        let status = system("\(GooglePython.path) \(script) \(path) > \(log) 2>&1")
        #expect(status == 0, "\(world.log("python"))")
    }

    /// Ends with 0 if everything is as it should be.
    private static let program = """
        import sys
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import firestore
        from google.cloud.firestore_v1._helpers import deserialize_bundle
        client = firestore.Client(project="demo", credentials=AnonymousCredentials())
        bundle = deserialize_bundle(open(sys.argv[1], "rb").read(), client)
        assert bundle.name == "rooms", bundle.name
        assert bundle._deserialized_metadata.total_documents == 3
        documents = {name.split("/")[-1]: d for name, d in bundle.documents.items()}
        assert sorted(documents) == ["attic", "cellar", "hall"], documents
        hall = documents["hall"]
        assert hall.snapshot.to_dict()["lights"] == 6
        assert hall.snapshot.to_dict()["name"] == 'ä"\\nhall'
        assert sorted(hall.metadata.queries) == ["all", "lit"], hall.metadata
        assert list(documents["attic"].metadata.queries) == ["all"]
        assert hall.snapshot.update_time is not None and hall.snapshot.create_time is not None
        lit = bundle.named_queries["lit"]
        query = lit.bundled_query.structured_query
        assert query.where.field_filter.field.field_path == "lights"
        assert [o.field.field_path for o in query.order_by][0] == "lights"
        assert lit.read_time.timestamp() > 1e9, lit.read_time
        assert bundle.named_queries["all"].read_time.timestamp() == 0
        """

    @Test(.enabled(if: GooglePython.isInstalled, "\(GooglePython.absence)"))
    func `a bundle that google's python library has built loads with its named queries`()
        async throws
    {
        let world = try World()
        let script = world.write(Self.builder, to: "build.py")
        let path = "\(world.folder.path)/stories.bundle"
        let log = "\(world.folder.path)/python.log"
        let status = system(
            "FIRESTORE_EMULATOR_HOST=\(world.emulatorAddress) "
                + "\(GooglePython.path) \(script) \(path) > \(log) 2>&1")
        #expect(status == 0, "\(world.log("python"))")
        world.killEmulator()
        let machine = try world.machine("reader")
        let loaded = try CommandRun(world, machine, ["bundle", "load", path])
        #expect(loaded.status == 0, "\(loaded.complaints)")
        let client = machine.client()
        for (name, ids) in [
            ("latest-stories-query", ["a", "b", "news-item"]), ("best", ["b", "news-item"]),
            ("lamps", ["red"]), ("nothing", []),
        ] {
            let query = try #require(try await client.namedQuery(name), "\(name)")
            let found = try await query.getDocuments(source: .cache)
            #expect(found.documents.map(\.documentID).sorted() == ids, "\(name)")
        }
        let item = try await client.document("stories/news-item").getDocument(source: .cache)
        #expect(item["rank"] as? Int == 3)
    }

    /// Builds a bundle as Firebase's page on bundles shows it, with queries of other kinds besides.
    private static let builder = """
        import sys
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import firestore
        from google.cloud.firestore_bundle import FirestoreBundle
        db = firestore.Client(project="demo", credentials=AnonymousCredentials())
        for rank, name in enumerate(["a", "b", "news-item"]):
            db.collection("stories").document(name).set({"rank": rank + 1})
        db.collection("rooms").document("hall").collection("lamps").document("red").set({"on": True})
        bundle = FirestoreBundle("latest-stories")
        doc_snapshot = db.collection("stories").document("news-item").get()
        query = db.collection("stories")._query()
        best = db.collection("stories").order_by("rank", direction="DESCENDING").limit(2)
        lamps = db.collection("rooms/hall/lamps").where("on", "==", True)
        bundle_buffer: str = bundle.add_document(doc_snapshot).add_named_query(
            "latest-stories-query", query,
        ).add_named_query("best", best).add_named_query("lamps", lamps).add_named_query(
            "nothing", db.collection("nothing")._query()
        ).build()
        open(sys.argv[1], "w").write(bundle_buffer)
        """
}
