import HearthEngine
import HearthFirestore
import HearthModel
import Testing

struct BundleBuildingSpecs {
    private let id = RequestID(session: 1, number: 1)
    private let database = DatabaseID(project: "p")

    private func store(_ documents: [Document]) throws -> MemoryStore {
        let store = MemoryStore()
        try store.transaction { transaction throws(StoreError) in
            for var document in documents {
                document.readAt = max(document.version, version(2_000))
                try transaction.setRemoteDocument(document)
            }
        }
        return store
    }

    private func build(
        _ bench: inout EngineBench, _ queries: [BundleOrder.Entry], _ documents: [DocumentKey] = []
    ) throws -> Bundle {
        let order = BundleOrder(id: "b", queries: queries, documents: documents)
        for case .result(id, .bundle(let bytes)) in try bench.take(.buildBundle(id, order)) {
            return try BundleReader.read(bytes, database: database)
        }
        throw HearthError(code: .unknown, message: "\(bench.actions)")
    }

    @Test func `a query that the backend has answered is as old as the answer`() throws {
        let store = try store([
            document("rooms/hall", ["n": .integer(1)]), document("rooms/attic", ["n": .integer(2)]),
            document("rooms/foreign", ["n": .integer(3)]), document("rooms/gone"),
        ])
        var query = collection("rooms")
        query.filters = [.field(FieldPath(["n"]), .lessThan, .integer(9))]
        let target = query.target
        try store.transaction { transaction throws(StoreError) in
            var data = TargetData(id: TargetID(2), target: target, sequenceNumber: 1)
            data.snapshotVersion = version(4_000)
            data.limboFreeVersion = version(3_000)
            try transaction.setTargetData(data)
            try transaction.addKeys([key("rooms/hall"), key("rooms/attic")], to: data.id, at: 1)
        }
        var bench = try EngineBench(on: store)
        // A write of this machine is no part of it.
        try bench.take(.write(request(1, "rooms/hall")))
        let bundle = try build(&bench, [.init(name: "all", query: query)])
        #expect(bundle.namedQueries.map(\.name) == ["all"])
        #expect(bundle.namedQueries.first?.query.target == target)
        #expect(bundle.namedQueries.first?.readAt == version(3_000))
        #expect(bundle.entries.map(\.document.key.documentID) == ["hall", "attic"])
        #expect(bundle.entries.first?.document.fields["n"] == .integer(1))
        #expect(bundle.entries.first?.document.version == version(1_000))
        #expect(bundle.entries.first?.document.readAt == version(2_000))
        #expect(bundle.entries.allSatisfy { $0.queries == ["all"] })
        #expect(bundle.record.createdAt == SnapshotVersion(start))
    }

    @Test func `a query that was never answered is of no age, and holds what is known`() throws {
        var bench = try EngineBench(
            on: store((1...4).map { document("rooms/r\($0)", ["n": .integer($0)]) }))
        var query = collection("rooms")
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        query.limit = .init(2, .last)
        let bundle = try build(
            &bench, [.init(name: "last", query: query)], [key("rooms/r1"), key("rooms/r4")])
        #expect(bundle.namedQueries.first?.readAt == .zero)
        #expect(bundle.namedQueries.first?.query.limit == query.limit)
        #expect(bundle.entries.map(\.document.key.documentID) == ["r3", "r4", "r1"])
        #expect(bundle.entries.map(\.queries) == [["last"], ["last"], []])
    }

    @Test func `what the cache does not know cannot be packed`() throws {
        var bench = try EngineBench()
        let order = BundleOrder(id: "b", queries: [], documents: [key("rooms/hall")])
        guard case .refuse(id, let error)? = try bench.take(.buildBundle(id, order)).first else {
            Issue.record("It was packed")
            return
        }
        #expect(error.code == .notFound)
    }

    @Test func `two queries of one name are refused`() throws {
        var bench = try EngineBench()
        let entry = BundleOrder.Entry(name: "q", query: collection("rooms"))
        let order = BundleOrder(id: "b", queries: [entry, entry], documents: [])
        guard case .refuse(id, let error)? = try bench.take(.buildBundle(id, order)).first else {
            Issue.record("It was packed")
            return
        }
        #expect(error.code == .invalidArgument)
    }
}
