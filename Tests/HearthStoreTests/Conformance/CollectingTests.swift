import HearthFirestore
import HearthModel
import Testing

struct CollectingTests {
    private func fill(_ bench: StoreBench) throws {
        try bench.write {
            for id in [Int32(2), 4] {
                try $0.setTargetData(
                    TargetData(
                        id: TargetID(id), target: target("c\(id)"), sequenceNumber: Int64(id)))
            }
            try $0.setRemoteDocument(found("a/held"))
            try $0.addKeys([key("a/held")], to: TargetID(2), at: 1)
            for number in 1...4 {
                try $0.setRemoteDocument(found("a/o\(number)"))
                try $0.touch([key("a/o\(number)")], at: Int64(10 + number))
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `targets and documents of no target are counted, the least used first`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try fill(bench)
        func least(_ count: Int, after last: ListenSequenceNumber = .min) throws
            -> ListenSequenceNumber?
        {
            try bench.write { try $0.sequenceNumber(ofLeastUsed: count, after: last) }
        }
        #expect(try bench.write { try $0.collectableCount() } == 6)
        #expect(try least(0) == nil)
        #expect(try least(1) == 2)
        #expect(try least(2) == 4)
        #expect(try least(3) == 11)
        #expect(try least(6) == 14)
        #expect(try least(7) == 14)
        #expect(try least(1, after: 2) == 4)
        #expect(try least(2, after: 2) == 11)
        #expect(try least(1, after: 11) == 12)
        #expect(try least(9, after: 11) == 14)
        #expect(try least(1, after: 14) == nil)
        #expect(try bench.write { try $0.cacheByteCount() } > 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `old targets go, live ones stay, and their documents become orphans`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try fill(bench)
        let count = try bench.write { try $0.removeTargets(usedUpTo: 4, except: [TargetID(4)]) }
        #expect(count == 1)
        #expect(try bench.write { try $0.targetData(for: target("c2")) } == nil)
        #expect(try bench.write { try $0.targetData(for: target("c4")) } != nil)
        #expect(try bench.write { try $0.collectableCount() } == 6)
        #expect(try bench.write { try $0.sequenceNumber(ofLeastUsed: 1, after: .min) } == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a dropped target is unknown at once, and lets go of its documents later`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try fill(bench)
        try bench.write { try $0.dropTarget(TargetID(2)) }
        #expect(try bench.write { try $0.targetData(for: target("c2")) } == nil)
        // Another target may have the name before the documents are let go.
        try bench.write {
            try $0.setTargetData(
                TargetData(id: TargetID(6), target: target("c2"), sequenceNumber: 6))
        }
        while try bench.write({ try $0.releaseDroppedKeys(limit: 1) }) == 1 {}
        #expect(try bench.write { try !$0.isInAnyTarget(key("a/held")) })
        #expect(try bench.write { try $0.targetData(for: target("c2")) }?.id == TargetID(6))
        #expect(try bench.write { try $0.collectableCount() } == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func `old orphans go, but for those written, pinned or in a target`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        try bench.write { try $0.append(batch(1, set("a/o1"))) }
        let count = try bench.write {
            try $0.removeOrphans(usedUpTo: 13, limit: 100) { $0 == key("a/o2") }
        }
        #expect(count == 1)
        let left = try bench.write {
            try $0.remoteDocuments(DocumentScan(query: Query(path: path("a"))))
        }
        #expect(
            left.documents.keys.sorted()
                == [key("a/held"), key("a/o1"), key("a/o2"), key("a/o4")])
    }

    @Test(arguments: StoreKind.allCases)
    func `orphans go in slices, the pinned ones at the front notwithstanding`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try bench.write {
            for number in 0..<600 {
                try $0.setRemoteDocument(found("a/\(number)"))
                try $0.touch([key("a/\(number)")], at: Int64(number))
            }
        }
        let pinned = Set((0..<300).map { key("a/\($0)") })
        func collect() throws -> Int {
            try bench.write {
                try $0.removeOrphans(usedUpTo: 1_000, limit: 200) { pinned.contains($0) }
            }
        }
        #expect(try collect() == 200)
        #expect(try collect() == 100)
        #expect(try collect() == 0)
        #expect(try bench.write { try $0.collectableCount() } == 300)
    }

    @Test(arguments: StoreKind.allCases)
    func `a document that comes without a use was used just now`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            var globals = StoreGlobals()
            globals.sequenceNumber = 7
            try $0.setGlobals(globals)
            try $0.setRemoteDocument(found("a/1"))
        }
        #expect(try bench.write { try $0.sequenceNumber(ofLeastUsed: 1, after: .min) } == 7)
        try bench.write {
            try $0.addKeys([key("a/2")], to: TargetID(2), at: 9)
            try $0.setRemoteDocument(found("a/3"))
        }
        #expect(try bench.write { try $0.sequenceNumber(ofLeastUsed: 2, after: .min) } == 9)
    }

    @Test(arguments: StoreKind.allCases)
    func `a key that leaves its last target unknown leaves nothing to collect`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try bench.write { try $0.addKeys([key("a/1"), key("a/2")], to: TargetID(2), at: 1) }
        try bench.write { try $0.removeKeys([key("a/1")], from: TargetID(2), at: 2) }
        #expect(try bench.write { try $0.collectableCount() } == 0)
        try bench.write { try $0.removeAllKeys(from: TargetID(2)) }
        #expect(try bench.write { try $0.collectableCount() } == 0)
    }
}
