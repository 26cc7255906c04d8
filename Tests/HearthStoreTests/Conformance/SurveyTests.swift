import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Scans with an end of their own, and the surveys that are made of scans.
struct SurveyTests {
    private let query = Query(path: path("rooms"))

    /// Ten rooms; five of them have a number, with the sum 20.
    private func bench(_ kind: StoreKind) throws -> StoreBench {
        let bench = try StoreBench(kind)
        try bench.write {
            for number in 0..<10 {
                let hasNumber = number.isMultiple(of: 2)
                let fields: MapValue =
                    hasNumber ? ["n": .integer(Int64(number))] : ["name": .string("x")]
                try $0.setRemoteDocument(found("rooms/r\(number)", fields, at: Int64(number + 1)))
            }
            try $0.setRemoteDocument(missing("rooms/gone", at: 21))
        }
        return bench
    }

    private func scan(_ bench: StoreBench, _ scan: DocumentScan) throws -> ScanResult {
        try bench.write { try $0.remoteDocuments(scan) }
    }

    private func answer(_ bench: StoreBench, _ question: SurveyQuestion) throws -> SurveyOutcome {
        let order = SurveyOrder(id: SurveyID(1), question: question, user: .unauthenticated)
        return try bench.write { transaction in try order.answer(from: transaction) }
    }

    @Test(arguments: StoreKind.allCases)
    func `a scan ends when it has looked at as many documents as it may`(kind: StoreKind) throws {
        let bench = try bench(kind)
        let short = try scan(
            bench, DocumentScan(query: query, bounds: ScanBounds(examinedCountMax: 10)))
        #expect(!short.isWhole)
        #expect(short.scannedCount == 10)
        #expect(short.documents.isEmpty)
        let whole = try scan(
            bench, DocumentScan(query: query, bounds: ScanBounds(examinedCountMax: 11)))
        #expect(whole.isWhole)
        #expect(whole.documents.count == 10)
    }

    @Test(arguments: StoreKind.allCases)
    func `a scan in the order of names ends with its limit, within its bounds`(kind: StoreKind)
        throws
    {
        guard kind == .sqlite else { return }  // A store in memory has no such order.
        let bench = try bench(kind)
        let result = try scan(
            bench,
            DocumentScan(
                query: query, firstCount: 2, bounds: ScanBounds(examinedCountMax: 4)))
        #expect(result.isWhole)
        #expect(result.documents.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a scan of a group sees all of its many collections, and no others`(kind: StoreKind) throws
    {
        let bench = try StoreBench(kind)
        try bench.write {
            for number in 0..<600 {
                try $0.setRemoteDocument(found("rooms/r\(number)/beds/b"))
                try $0.setRemoteDocument(found("halls/h\(number)/beds/b"))
                try $0.setRemoteDocument(found("rooms/r\(number)/chairs/c"))
            }
        }
        let all = Query(collectionGroup: "beds")
        #expect(try scan(bench, DocumentScan(query: all)).documents.count == 1_200)
        #expect(try bench.write { try $0.collections(inGroup: "beds").count } == 1_200)
        let one = Query(collectionGroup: "beds", below: path("rooms/r59"))
        let below = try scan(bench, DocumentScan(query: one))
        #expect(Array(below.documents.keys) == [key("rooms/r59/beds/b")])
        let last = try scan(bench, DocumentScan(query: all, firstCount: 1))
        #expect(Array(last.documents.keys) == [key("halls/h0/beds/b")])
    }

    @Test func `to look into a collection of a group is a step of the scan`() throws {
        let bench = try StoreBench(.sqlite)
        // The documents are gone, and the collections are known still.
        try bench.write {
            for number in 0..<600 { try $0.setRemoteDocument(found("rooms/r\(number)/beds/b")) }
        }
        try bench.write {
            for number in 0..<600 { try $0.removeRemoteDocument(key("rooms/r\(number)/beds/b")) }
        }
        let all = Query(collectionGroup: "beds")
        func isWhole(_ countMax: Int) throws -> Bool {
            let bounds = ScanBounds(examinedCountMax: countMax)
            return try scan(bench, DocumentScan(query: all, bounds: bounds)).isWhole
        }
        #expect(try !isWhole(599))
        #expect(try isWhole(600))
    }

    @Test(arguments: StoreKind.allCases)
    func `a scan ends when it holds too much`(kind: StoreKind) throws {
        let bench = try bench(kind)
        let bounds = ScanBounds(byteCountMax: 200)
        #expect(!(try scan(bench, DocumentScan(query: query, bounds: bounds))).isWhole)
        let none = DocumentScan(query: Query(path: path("halls")), bounds: bounds)
        #expect(try scan(bench, none).isWhole)
    }

    @Test(arguments: StoreKind.allCases)
    func `a scan ends when nobody waits for it`(kind: StoreKind) throws {
        let bench = try bench(kind)
        let bounds = ScanBounds(isWanted: { false })
        #expect(!(try scan(bench, DocumentScan(query: query, bounds: bounds))).isWhole)
    }

    @Test(arguments: StoreKind.allCases)
    func `a scan finds only documents that have the fields`(kind: StoreKind) throws {
        let bench = try bench(kind)
        let result = try scan(
            bench, DocumentScan(query: query, firstCount: 2, having: [FieldPath(["n"])]))
        #expect(result.documents.keys.sorted() == [key("rooms/r0"), key("rooms/r2")])
    }

    @Test(arguments: StoreKind.allCases)
    func `a scan adds up what matches, and leaves out what is asked for by name`(kind: StoreKind)
        throws
    {
        let bench = try bench(kind)
        let tally = AggregateComputation([
            Aggregation(alias: "c", operation: .count(upTo: nil)),
            Aggregation(alias: "s", operation: .sum(FieldPath(["n"]))),
        ])
        let result = try scan(
            bench,
            DocumentScan(
                query: query, including: [key("rooms/r8"), key("rooms/r1")], having: tally.fields,
                tally: tally))
        #expect(result.tally?.values == ["c": .integer(4), "s": .integer(12)])
        #expect(result.tally?.documentCount == 4)
        #expect(Set(result.documents.keys) == [key("rooms/r8"), key("rooms/r1")])
        #expect(result.scannedCount == 11)
    }

    @Test(arguments: StoreKind.allCases)
    func `a survey finds the documents as the backend told them`(kind: StoreKind) throws {
        let bench = try bench(kind)
        try bench.write {
            try $0.setOverlays(
                [Overlay(largestBatchID: BatchID(1), mutation: set("rooms/r0"))],
                of: .unauthenticated)
        }
        guard case .documents(let findings) = try answer(bench, SurveyQuestion(query)) else {
            Issue.record("No documents")
            return
        }
        #expect(findings.documents.count == 10)
        #expect(findings.documents[key("rooms/r0")]?.fields == ["n": .integer(0)])
        #expect(findings.isComplete)
        #expect(findings.examinedCount == 11)
        let sorted = try #require(findings.sorted)
        #expect(sorted.documents.map(\.key) == (0..<10).map { key("rooms/r\($0)") })
    }

    @Test(arguments: StoreKind.allCases)
    func `a survey of a limit finds documents behind it`(kind: StoreKind) throws {
        let bench = try bench(kind)
        var limited = query
        limited.limit = Query.Limit(2, .last)
        limited.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        var terms = SurveyTerms()
        terms.spareCount = 1
        let order = SurveyOrder(
            id: SurveyID(1), question: SurveyQuestion(limited), user: .unauthenticated,
            terms: terms)
        let outcome = try bench.write { transaction in try order.answer(from: transaction) }
        guard case .documents(let findings) = outcome else {
            Issue.record("No documents")
            return
        }
        let names = ["rooms/r4", "rooms/r6", "rooms/r8"].map(key)
        #expect(findings.documents.keys.sorted() == names)
        #expect(!findings.isComplete)
    }

    @Test(arguments: StoreKind.allCases)
    func `a survey computes numbers as the user sees the documents`(kind: StoreKind) throws {
        let bench = try bench(kind)
        try bench.write {
            try $0.setOverlays(
                [
                    Overlay(
                        largestBatchID: BatchID(1), mutation: set("rooms/r1", ["n": .integer(1)])),
                    Overlay(
                        largestBatchID: BatchID(1),
                        mutation: Mutation(key: key("rooms/r8"), kind: .delete)),
                ], of: .unauthenticated)
        }
        let sum = Aggregation(alias: "s", operation: .sum(FieldPath(["n"])))
        let outcome = try answer(
            bench, SurveyQuestion(query, .numbers([sum], of: .unauthenticated)))
        guard case .numbers(let numbers) = outcome else {
            Issue.record("No numbers")
            return
        }
        #expect(numbers.values == ["s": .integer(13)])
        #expect(numbers.documentCount == 5)
        #expect(numbers.hasPendingWrites)
        let others = try answer(bench, SurveyQuestion(query, .numbers([sum], of: UserID("ada"))))
        guard case .numbers(let untouched) = others else {
            Issue.record("No numbers")
            return
        }
        #expect(untouched.values == ["s": .integer(20)])
        #expect(!untouched.hasPendingWrites)
    }
}
