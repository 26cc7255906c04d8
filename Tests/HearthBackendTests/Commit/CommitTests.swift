import HearthModel
import Testing

@testable import HearthBackend

struct CommitTests {
    @Test func `commit times rise though the clock stands still`() throws {
        var spec = BackendSpec()
        let time = spec.now
        var versions: [SnapshotVersion] = []
        for number in 0..<3 {
            let reply = try spec.backend.commit(
                [.set("c/a", ["n": .integer(Int64(number))])], in: BackendSpec.database, at: time)
            guard case .done(let outcome) = reply else { continue }
            versions.append(outcome.version)
        }
        #expect(versions.count == 3)
        #expect(versions == versions.sorted() && Set(versions).count == 3)
    }

    @Test func `a write that changes nothing leaves the update time`() throws {
        var spec = BackendSpec()
        let first = try spec.put("c/a", ["x": .integer(1)])
        let second = try spec.commit(.patch("c/a", ["x": .integer(1)], "x"))
        #expect(second.version > first.version)
        #expect(second.results.map(\.version) == [first.version])
        #expect(try spec.get("c/a").version == first.version)
    }

    @Test func `a later write of a commit sees an earlier one`() throws {
        var spec = BackendSpec()
        try spec.commit(
            .set("c/a", ["x": .integer(1)]), .patch("c/a", ["y": .integer(2)], "y"))
        #expect(try spec.get("c/a").fields == ["x": .integer(1), "y": .integer(2)])
    }

    @Test func `a commit with a failed precondition changes nothing`() throws {
        var spec = BackendSpec()
        #expect(
            throws: HearthError(
                code: .notFound,
                message: "No document to update: projects/spec/databases/(default)/documents/c/b")
        ) {
            try spec.commit(
                .set("c/a", ["x": .integer(1)]), .set("c/b", [:], .exists(true)))
        }
        #expect(try spec.get("c/a").isMissing)
    }

    @Test func `preconditions fail with the codes of production`() throws {
        var spec = BackendSpec()
        let version = try spec.put("c/a", ["x": .integer(1)]).version
        let later = SnapshotVersion(version.timestamp.advanced(by: .seconds(1)))
        let earlier = SnapshotVersion(version.timestamp.advanced(by: .seconds(-1)))
        let cases: [(String, Precondition, StatusCode)] = [
            ("c/a", .exists(false), .alreadyExists), ("c/b", .exists(true), .notFound),
            ("c/a", .updateTime(earlier), .failedPrecondition),
            ("c/a", .updateTime(later), .invalidArgument),
            ("c/b", .updateTime(earlier), .failedPrecondition),
        ]
        for (path, precondition, code) in cases {
            let error = #expect(throws: HearthError.self) {
                try spec.commit(.set(path, [:], precondition))
            }
            #expect(error?.code == code, "\(path) \(precondition)")
        }
        try spec.commit(.set("c/a", ["x": .integer(2)], .updateTime(version)))
    }

    @Test func `transforms run in order and array transforms answer null`() throws {
        var spec = BackendSpec()
        func field(_ name: String, _ operation: FieldTransform.Operation) -> FieldTransform {
            FieldTransform(field: FieldPath([name]), operation: operation)
        }
        let outcome = try spec.commit(
            .set(
                "c/a", [:], .none, field("n", .increment(.integer(1))),
                field("n", .increment(.integer(2))),
                field("l", .arrayUnion([.integer(1), .double(1), .string("a")])),
                field("t", .serverTimestamp)))
        let results = outcome.results[0].transformResults
        #expect(results[0] == .integer(1))
        #expect(results[1] == .integer(3))
        #expect(results[2] == .null)
        #expect(try spec.get("c/a").fields["l"] == .array([.integer(1), .string("a")]))
        guard case .timestamp(let time) = results[3] else {
            Issue.record("\(results[3]) is no time")
            return
        }
        #expect(time.nanoseconds % 1_000_000 == 0)
    }

    @Test func `a field is not transformed together with a field inside`() {
        var spec = BackendSpec()
        func increment(_ segments: String...) -> FieldTransform {
            FieldTransform(field: FieldPath(segments), operation: .increment(.integer(1)))
        }
        let message = "Cannot transform property a and its nested property at the same time."
        #expect(throws: HearthError(code: .invalidArgument, message: message)) {
            try spec.commit(
                .set("c/a", [:], .none, increment("a", "b"), increment("b"), increment("a")))
        }
        #expect(throws: Never.self) {
            try spec.commit(
                .set("c/a", [:], .none, increment("a", "b"), increment("ab"), increment("a", "b")))
        }
    }

    @Test(arguments: [
        ("c/__x__", "Resource id \"__x__\" is invalid because it is reserved."),
        ("__c__/a", "Collection id \"__c__\" is invalid because it is reserved."),
        (
            "c/.",
            "Document name \"projects/spec/databases/(default)/documents/c/.\" contains a "
                + "resource id \".\" at index 46."
        ),
    ])
    func `a name that Firestore reserves is refused`(path: String, message: String) {
        var spec = BackendSpec()
        #expect(throws: HearthError(code: .invalidArgument, message: message)) {
            try spec.put(path, [:])
        }
    }

    @Test func `a numeric id is a name like others`() throws {
        var spec = BackendSpec()
        try spec.put("c/__id7__", [:])
        #expect(try spec.get("c/__id7__").isFound)
    }

    @Test func `values that no document can hold are refused`() {
        func nested(_ depth: Int) -> Value {
            depth == 0 ? .integer(1) : .map(["x": nested(depth - 1)])
        }
        func reference(_ path: ResourcePath) -> Value {
            .reference(DocumentName(database: BackendSpec.database, path: path))
        }
        let bad: [MapValue] = [
            ["__x__": .null], ["": .null], ["a": .array([.array([])])], ["a": nested(21)],
            ["a": .geoPoint(GeoPoint(latitude: 91, longitude: 0))],
            ["a": .string(String(repeating: "a", count: 1_048_488))],
            ["a": .map(["__type__": .string("__vector__"), "value": .array([.integer(1)])])],
            ["a": reference(ResourcePath(["c"]))], ["a": reference(.root)],
            ["a": .array([reference(ResourcePath(["c", "__x__"]))])],
        ]
        for fields in bad {
            var spec = BackendSpec()
            let error = #expect(throws: HearthError.self) { try spec.put("c/a", fields) }
            #expect(error?.code == .invalidArgument)
        }
        var spec = BackendSpec()
        #expect(throws: Never.self) { try spec.put("c/a", ["a": nested(20)]) }
    }

    @Test func `documents together too large are refused`() {
        var spec = BackendSpec()
        let half = Value.string(String(repeating: "a", count: 600_000))
        let error = #expect(throws: HearthError.self) {
            try spec.put("c/a", ["a": half, "b": half])
        }
        #expect(error?.message.contains("exceeds the maximum allowed size") == true)
    }
}
