import HearthModel
import Testing

@testable import HearthBackend

/// Telling is work for those who are concerned, however many others there are.
struct WatchWorkTests {
    /// How many targets a commit is held against.
    private func work(
        _ spec: inout BackendSpec, _ path: String, _ fields: MapValue
    ) throws -> Int {
        let before = spec.backend.examinedTargetCount(in: BackendSpec.database)
        try spec.put(path, fields)
        return spec.backend.examinedTargetCount(in: BackendSpec.database) - before
    }

    private func watch(
        _ spec: inout BackendSpec, _ id: Int, _ subject: WatchRequest.Subject
    ) throws {
        let stream = StreamID(UInt64(id % 100))
        _ = try spec.listen(Int32(id + 1), subject, on: stream)
    }

    private static let owner = FieldPath(["owner"])

    /// Many ways to watch; a write to `path` with `fields` touches only one of them.
    enum Crowd: CaseIterable {
        case collections, values, elements, names, groups, lists, documents
        case ranges, groupRanges, pages, backwardPages, namePages, unions

        var size: Int {
            switch self {
            case .collections, .values, .ranges: 10_000
            case .elements, .names, .groups, .lists, .documents, .groupRanges, .pages,
                .backwardPages, .namePages, .unions:
                1_000
            }
        }

        /// The stretch of one of many that do not touch.
        private func range(_ number: Int) -> Filter {
            .and([
                .field(owner, .greaterThanOrEqual, .integer(Int64(number * 10))),
                .field(owner, .lessThan, .integer(Int64(number * 10 + 10))),
            ])
        }

        func subject(_ number: Int) -> WatchRequest.Subject {
            let text = Value.string("\(number)")
            switch self {
            case .collections: return .query(.all("c\(number)"))
            case .values:
                // The condition that all share does not bring them together.
                return .query(
                    .all("c").filtered(
                        .and([
                            .field(FieldPath(["kind"]), .equal, .integer(1)),
                            .field(owner, .equal, text),
                        ])))
            case .elements: return .query(.all("c").filtered(.field(owner, .arrayContains, text)))
            case .names:
                let name = DocumentName(database: BackendSpec.database, key: key("c/\(number)"))
                return .query(
                    .all("c").filtered(.field(.documentID, .equal, .reference(name))))
            case .groups:
                return .query(
                    StructuredQuery(
                        parent: key("users/\(number)").path,
                        source: .init(collectionID: "c", allDescendants: true)))
            case .lists:
                return .query(
                    .all("c").filtered(.field(owner, .isIn, .array([text, .string("x\(number)")]))))
            case .documents: return .documents([key("c/\(number)")])
            case .ranges: return .query(.all("c").filtered(range(number)))
            case .groupRanges:
                let query = StructuredQuery(
                    parent: .root, source: .init(collectionID: "c", allDescendants: true))
                return .query(query.filtered(range(number)))
            case .pages, .backwardPages:
                let isForward = self == .pages
                var query = StructuredQuery.all("c").limited(to: 5)
                query.orderBys = [OrderBy(owner, isForward ? .ascending : .descending)]
                let value = Value.integer(Int64(number * 10))
                query.startAt = Bound([value], isInclusive: isForward)
                if isForward {
                    query.endAt = Bound([.integer(Int64(number * 10 + 10))], isInclusive: false)
                } else {
                    query.endAt = Bound([.integer(Int64(number * 10 - 10))], isInclusive: true)
                }
                return .query(query)
            case .namePages:
                var query = StructuredQuery.all("c").limited(to: 5)
                query.orderBys = [OrderBy(.documentID)]
                query.startAt = Bound([name(number)], isInclusive: true)
                query.endAt = Bound([name(number + 1)], isInclusive: false)
                return .query(query)
            case .unions:
                return .query(
                    .all("c").filtered(
                        .or([range(number), .field(FieldPath(["kind"]), .equal, text)])))
            }
        }

        private func name(_ number: Int) -> Value {
            .reference(
                DocumentName(database: BackendSpec.database, key: key("c/\(10_000 + number)")))
        }

        func write(_ number: Int) -> (path: String, fields: MapValue) {
            let text = Value.string("\(number)")
            switch self {
            case .collections: return ("c\(number)/a", [:])
            case .values: return ("c/a", ["kind": .double(1), "owner": text])
            case .elements: return ("c/a", ["owner": .array([text])])
            case .names, .documents: return ("c/\(number)", ["n": .integer(1)])
            case .groups: return ("users/\(number)/c/a", [:])
            case .lists: return ("c/a", ["owner": text])
            case .ranges, .groupRanges, .pages, .unions:
                return ("c/a", ["owner": .integer(Int64(number * 10 + 5))])
            case .backwardPages: return ("c/a", ["owner": .integer(Int64(number * 10 - 5))])
            case .namePages: return ("c/\(10_000 + number)0", [:])
            }
        }

        private var owner: FieldPath { WatchWorkTests.owner }
    }

    @Test(arguments: Crowd.allCases) func `one of many targets costs what one alone costs`(
        crowd: Crowd
    ) throws {
        var alone = BackendSpec()
        try watch(&alone, 500, crowd.subject(500))
        var among = BackendSpec()
        for number in 0..<crowd.size { try watch(&among, number, crowd.subject(number)) }
        let (path, fields) = crowd.write(500)
        #expect(try work(&alone, path, fields) == 1)
        #expect(try work(&among, path, fields) == 1)
        #expect(
            among.take(StreamID(UInt64(500 % 100))) == [.document(path, in: [501]), .snapshot])
        // And nothing at all for a write that concerns nobody.
        #expect(try work(&among, "elsewhere/a", ["n": .integer(1)]) == 0)
    }

    /// Numbers `0..<count` in documents of `c`.
    private func fill(_ spec: inout BackendSpec, _ count: Int) throws {
        for number in 0..<count {
            try spec.put("c/\(10_000 + number)", ["n": .integer(Int64(number))])
        }
    }

    @Test func `a page without an end is asked up to where it looks, and moves with what it finds`()
        throws
    {
        var spec = BackendSpec()
        try fill(&spec, 2_000)
        for page in 0..<100 {
            var query = StructuredQuery.all("c").ordered(by: "n").limited(to: 10)
            query.startAt = Bound([.integer(Int64(page * 20))], isInclusive: true)
            try watch(&spec, page, .query(query))
        }
        // Pages begin every 20 numbers and hold 42: two or three look at any number.
        #expect(try work(&spec, "c/11000", ["n": .integer(1_000), "x": .null]) <= 3)
        #expect(spec.take(StreamID(50)) == [.document("c/11000", in: [51]), .snapshot])
        #expect(try work(&spec, "c/new", ["n": .double(1_001.5)]) <= 3)
        #expect(
            spec.take(StreamID(50))
                == [.document("c/new", in: [51]), .gone("c/11009", left: [51]), .snapshot])
        // As the first page's documents go, the window looks further, and the rules judge the
        // documents that it sees.
        for number in 0..<60 { try spec.delete("c/\(10_000 + number)") }
        _ = spec.take(StreamID(0))
        #expect(try work(&spec, "c/10069", ["n": .integer(69), "x": .null]) > 0)
        #expect(spec.take(StreamID(0)) == [.document("c/10069", in: [1]), .snapshot])
        #expect(try work(&spec, "c/10070", ["n": .integer(70), "x": .null]) > 0)
        #expect(spec.take(StreamID(0)) == [])
    }

    @Test func `a document that leaves a value for another concerns both`() throws {
        var spec = BackendSpec()
        for number in 0..<10 { try watch(&spec, number, Crowd.values.subject(number)) }
        try spec.put("c/a", ["kind": .integer(1), "owner": .string("3")])
        _ = spec.take(StreamID(3))
        #expect(try work(&spec, "c/a", ["kind": .integer(1), "owner": .string("4")]) == 2)
        #expect(spec.take(StreamID(3)) == [.document("c/a", in: [], left: [4]), .snapshot])
        #expect(spec.take(StreamID(4)) == [.document("c/a", in: [5]), .snapshot])
    }

    @Test func `targets that are taken away cost nothing`() throws {
        var spec = BackendSpec()
        for number in 0..<50 { try watch(&spec, number, Crowd.values.subject(7)) }
        // All fifty ask the same, so the change is judged once.
        #expect(try work(&spec, "c/a", Crowd.values.write(7).fields) == 1)
        for number in 0..<50 {
            let stream = StreamID(UInt64(number))
            if number.isMultiple(of: 2) {
                spec.backend.unwatch(WireTargetID(Int32(number + 1)), on: stream)
            } else {
                spec.backend.close(stream)
            }
        }
        #expect(try work(&spec, "c/b", Crowd.values.write(7).fields) == 0)
    }

    @Test func `a paused stream is told of its own targets only`() throws {
        var spec = BackendSpec()
        for number in 0..<200 { _ = try spec.listen(Int32(number + 1), .query(.all("c\(number)"))) }
        spec.backend.pause(BackendSpec.stream)
        try spec.put("c7/a", [:])
        try spec.put("c9/a", [:])
        try spec.delete("c7/a")
        #expect(spec.take() == [])
        spec.backend.resume(BackendSpec.stream, at: spec.now)
        #expect(spec.take() == [.document("c9/a", in: [10]), .snapshot])
    }
}
