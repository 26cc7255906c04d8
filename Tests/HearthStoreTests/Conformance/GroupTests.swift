import HearthEngine
import HearthFirestore
import HearthModel
import Testing

struct GroupTests {
    private struct Change: Error {}

    private func sequence(_ bench: StoreBench) throws -> ListenSequenceNumber {
        try bench.turn { try $0.globals().sequenceNumber }
    }

    private func setSequence(_ number: Int64, _ transaction: any FirestoreTransaction) throws {
        var globals = try transaction.globals()
        globals.sequenceNumber = number
        try transaction.setGlobals(globals)
    }

    @Test(arguments: StoreKind.allCases)
    func `a failed turn undoes itself and leaves the turns before it`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.store.begin()
        try bench.turn {
            try $0.setRemoteDocument(found("a/kept"))
            try setSequence(1, $0)
        }
        #expect(throws: StoreError.self) {
            try bench.turn {
                try $0.setRemoteDocument(found("new/lost"))
                try $0.setRemoteDocument(found("a/kept", ["changed": .boolean(true)]))
                try $0.append(batch(1, set("new/lost"), user: UserID("new")))
                try setSequence(2, $0)
                throw Change()
            }
        }
        #expect(bench.store.isGroupOpen)
        #expect(try sequence(bench) == 1)
        try bench.turn { try $0.setRemoteDocument(found("new/after")) }
        try bench.store.commit()
        #expect(!bench.store.isGroupOpen)
        let read = try bench.write {
            try $0.remoteDocuments([key("a/kept"), key("new/lost"), key("new/after")])
        }
        #expect(read[key("a/kept")]?.fields == [:])
        #expect(read[key("new/lost")]?.isValid == false)
        #expect(read[key("new/after")]?.isFound == true)
        #expect(try bench.write { try $0.collections(inGroup: "new") } == [path("new")])
        #expect(try bench.write { try $0.highestBatchID(of: UserID("new")) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a first turn that fails leaves an open and empty group`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.store.begin()
        #expect(throws: StoreError.self) {
            try bench.turn {
                try $0.setRemoteDocument(found("a/lost"))
                try setSequence(2, $0)
                throw Change()
            }
        }
        #expect(bench.store.isGroupOpen)
        #expect(try sequence(bench) == 0)
        try bench.turn { try $0.setRemoteDocument(found("a/kept")) }
        try bench.store.commit()
        #expect(try bench.write { try !$0.remoteDocument(key("a/lost")).isValid })
        #expect(try bench.write { try $0.remoteDocument(key("a/kept")).isFound })
    }

    @Test(arguments: StoreKind.allCases)
    func `a rolled back group has not happened`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.store.begin()
        try bench.turn {
            try $0.setRemoteDocument(found("new/1"))
            try $0.append(batch(1, set("new/2")))
            try setSequence(5, $0)
        }
        bench.store.rollback()
        #expect(!bench.store.isGroupOpen)
        bench.store.rollback()
        try bench.store.begin()
        #expect(try sequence(bench) == 0)
        try bench.turn { try $0.append(batch(1, set("new/3"))) }
        try bench.store.commit()
        let collections = try bench.write { try $0.collections(inGroup: "new") }
        #expect(collections == [path("new")])
        #expect(try bench.write { try !$0.remoteDocument(key("new/1")).isValid })
        #expect(try bench.write { try $0.isWritten(key("new/3")) })
        #expect(try bench.write { try !$0.isWritten(key("new/2")) })
    }

    @Test(arguments: StoreKind.allCases)
    func `a step that is made to fail says which, and undoes its turn`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        for operation in StoreOperation.allCases {
            bench.store.failing = [operation]
            #expect(throws: StoreError.injected(operation)) {
                try bench.write {
                    try $0.setRemoteDocument(found("a/lost"))
                    for step in StoreOperation.allCases { try $0.enter(step) }
                }
            }
            bench.store.failing = []
            #expect(try bench.write { try !$0.remoteDocument(key("a/lost")).isValid })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `random turns, some of them failing, leave what the successful ones wrote`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        var random = SeededRandom(seed: 42)
        var expected: [DocumentKey: Document] = [:]
        for round in 1...60 {
            try bench.store.begin()
            var inGroup = expected
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                var inTurn = inGroup
                let fails = Int.random(in: 0..<3, using: &random) == 0
                do {
                    try bench.turn { transaction in
                        for _ in 0..<5 {
                            let name =
                                "c\(Int.random(in: 0..<3, using: &random))/"
                                + "d\(Int.random(in: 0..<6, using: &random))"
                            if Bool.random(using: &random) {
                                let document = found(
                                    name, ["r": .integer(Int64(round))], at: Int64(round))
                                try transaction.setRemoteDocument(document)
                                inTurn[key(name)] = document
                            } else {
                                try transaction.removeRemoteDocument(key(name))
                                inTurn[key(name)] = nil
                            }
                        }
                        if fails { throw Change() }
                    }
                    inGroup = inTurn
                } catch is StoreError {
                    #expect(fails)
                }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                bench.store.rollback()
            } else {
                try bench.store.commit()
                expected = inGroup
            }
            var present: [DocumentKey: Document] = [:]
            for collection in 0..<3 {
                let query = Query(path: path("c\(collection)"))
                let scan = try bench.write { try $0.remoteDocuments(DocumentScan(query: query)) }
                present.merge(scan.documents) { $1 }
            }
            #expect(present == expected, "round \(round)")
            #expect(try bench.write { try $0.collectableCount() } == expected.count)
        }
    }
}
