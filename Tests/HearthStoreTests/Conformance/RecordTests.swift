import HearthEngine
import HearthFirestore
import HearthModel
import Testing

struct RecordTests {
    private let client = ClientID(high: .max, low: 1 << 63)

    private func write(_ sequence: UInt64, uid: UInt32 = 1_000) -> WriteIdentity {
        WriteIdentity(uid: uid, client: client, sequence: sequence)
    }

    @Test(arguments: StoreKind.allCases)
    func `a write is recognised with what became of it`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let refusal = HearthError(code: .permissionDenied, message: "No.")
        let outcomes: [WriteOutcome] = [
            .pending, .committed(at: version(8)),
            .committed(at: version(8), updatedAt: [version(8)]),
            .committed(at: version(8), updatedAt: [8, 8, 3, 8].map { version($0) }),
            .rejected(refusal, mayHaveBeenApplied: false),
            .rejected(refusal, mayHaveBeenApplied: true),
        ]
        for (index, outcome) in outcomes.enumerated() {
            let id = BatchID(Int64(index + 1))
            let identity = write(UInt64(index))
            try bench.write {
                try $0.setRecord(WriteRecord(batch: id, outcome: .pending), of: identity)
            }
            try bench.write {
                try $0.setRecord(WriteRecord(batch: id, outcome: outcome), of: identity)
            }
            let (record, found) = try bench.write {
                (try $0.record(of: identity), try $0.identity(of: id))
            }
            #expect(record == WriteRecord(batch: id, outcome: outcome))
            #expect(found == identity)
        }
        #expect(try bench.write { try $0.record(of: write(0, uid: 1)) } == nil)
        #expect(try bench.write { try $0.identity(of: BatchID(99)) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a write is recognised in whatever order its client wrote, and no other is`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        #expect(try bench.write { try $0.record(of: write(5)) } == nil)
        for sequence: UInt64 in [5, 9, 3, .max, 0] {
            try bench.write {
                let batch = BatchID(Int64(sequence % 100) + 1)
                try $0.setRecord(WriteRecord(batch: batch, outcome: .pending), of: write(sequence))
            }
            #expect(try bench.write { try $0.record(of: write(sequence)) } != nil)
        }
        for sequence: UInt64 in [0, 3, 5, 9, .max] {
            #expect(try bench.write { try $0.record(of: write(sequence)) } != nil)
            #expect(try bench.write { try $0.record(of: write(sequence, uid: 7)) } == nil)
        }
        for sequence: UInt64 in [1, 4, 8, 10, .max - 1] {
            #expect(try bench.write { try $0.record(of: write(sequence)) } == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `answered writes below a number are forgotten, of one client and one user`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        let done = WriteOutcome.committed(at: version(1))
        try bench.write {
            try $0.setRecord(WriteRecord(batch: BatchID(1), outcome: done), of: write(1))
            try $0.setRecord(WriteRecord(batch: BatchID(2), outcome: .pending), of: write(2))
            try $0.setRecord(WriteRecord(batch: BatchID(3), outcome: done), of: write(.max - 1))
            try $0.setRecord(WriteRecord(batch: BatchID(4), outcome: done), of: write(.max))
            try $0.setRecord(WriteRecord(batch: BatchID(5), outcome: done), of: write(1, uid: 2))
        }
        try bench.write { try $0.removeRecords(of: client, uid: 1_000, below: .max) }
        #expect(try bench.write { try $0.record(of: write(1)) } == nil)
        #expect(try bench.write { try $0.identity(of: BatchID(1)) } == nil)
        #expect(try bench.write { try $0.record(of: write(2)) } != nil)
        #expect(try bench.write { try $0.record(of: write(.max - 1)) } == nil)
        #expect(try bench.write { try $0.record(of: write(.max)) } != nil)
        #expect(try bench.write { try $0.record(of: write(1, uid: 2)) } != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a write below the number is forgotten when it is answered, its batch is not mistaken`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        let done = WriteOutcome.committed(at: version(1))
        try bench.write {
            try $0.setRecord(WriteRecord(batch: BatchID(1), outcome: .pending), of: write(1))
            try $0.setRecord(WriteRecord(batch: BatchID(2), outcome: .pending), of: write(2))
            try $0.removeRecords(of: client, uid: 1_000, below: 2)
            #expect(try $0.record(of: write(1))?.outcome == .pending)
        }
        try bench.write {
            try $0.setRecord(WriteRecord(batch: BatchID(1), outcome: done), of: write(1))
            try $0.setRecord(WriteRecord(batch: BatchID(2), outcome: done), of: write(2))
            try $0.removeRecords(of: client, uid: 1_000, below: 2)
        }
        #expect(try bench.write { try $0.record(of: write(1)) } == nil)
        #expect(try bench.write { try $0.identity(of: BatchID(1)) } == nil)
        #expect(try bench.write { try $0.record(of: write(2)) }?.outcome == done)
    }

    @Test(arguments: StoreKind.allCases)
    func `a rejected batch is kept until it is removed`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let letter = DeadLetter(
            batch: batch(5, set("a/1", everyValue), user: UserID("alice"), state: .sentUnanswered),
            error: HearthError(code: .failedPrecondition, message: "Too late."),
            rejectedAt: Timestamp(seconds: 5, nanoseconds: 6), mayHaveBeenApplied: true)
        try bench.write { try $0.appendDeadLetter(letter) }
        #expect(try bench.write { try $0.deadLetter(BatchID(5)) } == letter)
        try bench.write { try $0.removeDeadLetter(BatchID(5)) }
        #expect(try bench.write { try $0.deadLetter(BatchID(5)) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `bundles and named queries come back by name`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let bundle = BundleRecord(id: "caf\u{e9}", createdAt: version(3), version: 1)
        var query = Query(path: path("rooms"))
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]), .descending)]
        query.limit = Query.Limit(3, .last)
        query.startAt = Bound([.integer(5)], isInclusive: true)
        let queries = [
            NamedQuery(name: "last", query: query, readAt: version(4)),
            NamedQuery(name: "group", query: Query(collectionGroup: "beds"), readAt: version(4)),
            NamedQuery(name: "one", query: Query(document: key("a/b")), readAt: version(4)),
        ]
        try bench.write {
            try $0.setBundle(bundle)
            for query in queries { try $0.setNamedQuery(query) }
        }
        #expect(try bench.write { try $0.bundle("caf\u{e9}") } == bundle)
        #expect(try bench.write { try $0.bundle("cafe\u{301}") } == nil)
        for query in queries {
            #expect(try bench.write { try $0.namedQuery(query.name) } == query)
        }
        #expect(try bench.write { try $0.namedQuery("none") } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a bundle whose load has begun is not loaded until the load ends`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let old = BundleRecord(id: "b", createdAt: version(3), version: 1)
        let new = BundleRecord(id: "b", createdAt: version(4), version: 1)
        let begun = BegunBundle(record: new, documentCount: 100_000, queryCount: 7)
        try bench.write {
            try $0.setBundle(old)
            try $0.setBundle(BundleRecord(id: "c", createdAt: version(3), version: 1))
            try $0.setBegunBundle(begun)
        }
        #expect(try bench.write { try $0.begunBundles() } == [begun])
        #expect(try bench.write { try $0.bundle("b") } == nil)
        try bench.write { try $0.setBundle(new) }
        #expect(try bench.write { try $0.begunBundles() }.isEmpty)
        #expect(try bench.write { try $0.bundle("b") } == new)
        try bench.write {
            try $0.setBegunBundle(begun)
            try $0.removeBundle("b")
        }
        #expect(try bench.write { try $0.begunBundles() }.isEmpty)
        #expect(try bench.write { try $0.bundle("b") } == nil)
        #expect(try bench.write { try $0.bundle("c") } != nil)
        try bench.write {
            try $0.setBegunBundle(begun)
            try $0.removeAll()
        }
        #expect(try bench.write { try $0.begunBundles() }.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `counters keep every digit`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        var globals = try bench.write { try $0.globals() }
        #expect(globals.daemon.isEmpty == (kind == .memory))
        globals.daemon = ""
        #expect(globals == StoreGlobals())
        globals = try bench.write { try $0.globals() }
        globals.highestTargetID = TargetID(.max)
        globals.sequenceNumber = .max
        globals.lastRemoteVersion = SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 999_999_999))
        globals.lastBatchID = BatchID(.max)
        try bench.write { try $0.setGlobals(globals) }
        #expect(try bench.write { try $0.globals() } == globals)
    }

    @Test(arguments: StoreKind.allCases)
    func `a cleared store knows nothing but its counters`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        var globals = try bench.write { try $0.globals() }
        globals.highestTargetID = TargetID(4)
        globals.lastBatchID = BatchID(7)
        globals.sequenceNumber = 9
        try bench.write {
            try $0.setGlobals(globals)
            try $0.append(batch(7, set("a/1")))
            try $0.setRecord(WriteRecord(batch: BatchID(7), outcome: .pending), of: write(3))
            var document = Document.found(key("a/2"), at: version(3), [:])
            document.readAt = version(3)
            try $0.setRemoteDocument(document)
        }
        try bench.write { try $0.removeAll() }
        #expect(try bench.write { try $0.globals() } == globals)
        #expect(try bench.write { try $0.highestBatchID(of: UserID("")) } == nil)
        #expect(try bench.write { try $0.record(of: write(3)) } == nil)
        #expect(try bench.write { try $0.remoteDocument(key("a/2")) }.isValid == false)
        #expect(try bench.write { try $0.collectableCount() } == 0)
        #expect(try bench.write { try $0.isWritten(key("a/1")) } == false)
    }
}
