import HearthFirestore
import HearthModel
import Testing

struct TargetTests {
    private func data(_ id: Int32, _ target: Target, at sequence: Int64 = 1) -> TargetData {
        TargetData(
            id: TargetID(id), target: target, purpose: .existenceFilterMismatchBloom,
            sequenceNumber: sequence, snapshotVersion: version(5), limboFreeVersion: version(4),
            resumeToken: ResumeToken([1, 2, 3]))
    }

    @Test(arguments: StoreKind.allCases)
    func `a target's data comes back by an equal target`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        var query = Query(path: path("rooms"))
        query.filters = [
            .field(FieldPath(["a"]), .equal, .null),
            .or([
                .field(FieldPath(["b"]), .greaterThan, .double(1)),
                .field(FieldPath(["c"]), .isIn, .array([.integer(1), .string("x")])),
            ]),
        ]
        query.limit = Query.Limit(5, .last)
        query.startAt = Bound([.integer(1)], isInclusive: false)
        try bench.write {
            try $0.setTargetData(data(2, query.target))
            try $0.setTargetData(data(4, target("rooms")))
            try $0.setTargetData(data(6, Query(document: key("rooms/hall")).target))
            try $0.setTargetData(data(8, Query(collectionGroup: "rooms").target))
        }
        func read(_ target: Target) throws -> TargetData? {
            try bench.write { try $0.targetData(for: target) }
        }
        #expect(try read(query.target) == data(2, query.target))
        #expect(try read(target("rooms"))?.id == TargetID(4))
        #expect(try read(Query(document: key("rooms/hall")).target)?.id == TargetID(6))
        #expect(try read(Query(collectionGroup: "rooms").target)?.id == TargetID(8))
        #expect(try read(target("halls")) == nil)
        try bench.write { try $0.setTargetData(data(2, query.target, at: 9)) }
        #expect(try read(query.target)?.sequenceNumber == 9)
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed target holds nothing`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.setTargetData(data(2, target("a")))
            try $0.setRemoteDocument(found("a/1"))
            try $0.addKeys([key("a/1"), key("a/2")], to: TargetID(2), at: 1)
        }
        try bench.write { try $0.removeTarget(TargetID(2)) }
        #expect(try bench.write { try $0.targetData(for: target("a")) } == nil)
        #expect(try bench.write { try $0.keys(of: TargetID(2)) }.isEmpty)
        #expect(try bench.write { try !$0.isInAnyTarget(key("a/1")) })
        #expect(try bench.write { try $0.remoteDocument(key("a/1")) }.isFound)
        #expect(try bench.write { try $0.collectableCount() } == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `keys join and leave targets, known or not`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let (first, second) = (TargetID(2), TargetID(4))
        try bench.write {
            try $0.addKeys([key("a/1"), key("a/2")], to: first, at: 1)
            try $0.addKeys([key("a/2")], to: first, at: 2)
            try $0.addKeys([key("a/2"), key("b/__id3__")], to: second, at: 2)
            try $0.setRemoteDocument(found("a/1"))
        }
        #expect(try bench.write { try $0.keys(of: first) }.sorted() == [key("a/1"), key("a/2")])
        #expect(try bench.write { try $0.keyCount(of: first, upTo: 9) } == 2)
        #expect(try bench.write { try $0.keyCount(of: first, upTo: 1) } == 1)
        #expect(try bench.write { try $0.keyCount(of: TargetID(6), upTo: 9) } == 0)
        #expect(
            try bench.write { try $0.keys(of: second) }.sorted()
                == [key("a/2"), key("b/__id3__")])
        #expect(try bench.write { try !$0.remoteDocument(key("a/2")).isValid })
        try bench.write { try $0.removeKeys([key("a/2"), key("x/y")], from: first, at: 3) }
        #expect(try bench.write { try $0.isInAnyTarget(key("a/2")) })
        try bench.write { try $0.removeKeys([key("a/2")], from: first, at: 3) }
        #expect(try bench.write { try $0.isInAnyTarget(key("a/2")) })
        try bench.write { try $0.removeAllKeys(from: second) }
        #expect(try bench.write { try !$0.isInAnyTarget(key("a/2")) })
        #expect(try bench.write { try $0.keys(of: first) } == [key("a/1")])
        #expect(try bench.write { try !$0.isInAnyTarget(key("never/was")) })
    }

    @Test(arguments: StoreKind.allCases)
    func `a document forgotten while a target names it stays in the target`(kind: StoreKind) throws
    {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.addKeys([key("a/1")], to: TargetID(2), at: 1)
            try $0.setRemoteDocument(found("a/1"))
        }
        try bench.write { try $0.removeRemoteDocument(key("a/1")) }
        #expect(try bench.write { try $0.keys(of: TargetID(2)) } == [key("a/1")])
        #expect(try bench.write { try !$0.remoteDocument(key("a/1")).isValid })
        let scan = DocumentScan(query: Query(path: path("a")), including: [key("a/1")])
        #expect(try bench.write { try $0.remoteDocuments(scan) }.documents.isEmpty)
        try bench.write { try $0.setRemoteDocument(found("a/1", at: 2)) }
        #expect(try bench.write { try $0.remoteDocument(key("a/1")) }.version == version(2))
    }
}
