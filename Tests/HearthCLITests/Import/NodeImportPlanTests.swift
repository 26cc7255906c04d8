import Hearth
import Testing

@testable import HearthCLI

struct NodeImportPlanTests {
    private let text = String(repeating: "x", count: 300)

    /// The names of each write's parts; `nil` for a write of the whole place.
    private func names(_ plan: NodeImportPlan) -> [[String]?] {
        plan.writes.map { write in
            switch write {
            case .set: nil
            case .update(let values): values.fields?.map(\.name)
            }
        }
    }

    @Test func `a file is imported in one write, or merged in groups of children`() throws {
        let file = try ValueReader.read(#"{"a":1,"b":2,"c":3}"#)
        #expect(try NodeImportPlan(replacing: file).writes == [.set(file)])
        let merged = try NodeImportPlan(merging: file, batchSize: 2)
        #expect(names(merged) == [["a", "b"], ["c"]])
        #expect(throws: Failure.self) { try NodeImportPlan(merging: .integer(1), batchSize: 2) }
    }

    @Test func `a file that is too large for one write is divided by child, priorities last`()
        throws
    {
        let file = try ValueReader.read(
            """
            {".priority":7,"a":{"b":"\(text)","c":"\(text)","n":null,".priority":1},
             "d":["\(text)",null,"\(text)"],"e":{".value":"\(text)",".priority":2},"f":3}
            """)
        let plan = try NodeImportPlan(replacing: file, byteCountMax: 500)
        #expect(plan.writes.first == .set(.null))
        #expect(
            names(plan) == [
                nil, ["a/b"], ["a/c"], ["d/0"], ["d/2"], ["e", "f"],
                [".priority", "a/.priority"],
            ])
    }

    @Test func `a child that is too large to be merged in one write is removed, then divided`()
        throws
    {
        let file = try ValueReader.read(
            #"{"a":1,"b":{"x":"\#(text)","y":"\#(text)"},"c":2}"#)
        let plan = try NodeImportPlan(merging: file, batchSize: 500, byteCountMax: 500)
        #expect(names(plan) == [["a", "b"], ["b/x"], ["b/y", "c"]])
        guard case .update(let values)? = plan.writes.first else {
            Issue.record("\(plan.writes)")
            return
        }
        #expect(values["b"] == ValueLiteral.null)
    }

    @Test func `no write of a plan is larger than the limit`() throws {
        let children = (0..<2_000).map {
            ValueLiteral.Field(name: "k\($0)", value: .string(text))
        }
        let plan = try NodeImportPlan(
            replacing: .map([.init(name: "all", value: .map(children))]), byteCountMax: 10_000)
        #expect(plan.writes.count > 60)
        for case .update(let values) in plan.writes { #expect(values.jsonByteCount <= 10_000) }
        #expect(names(plan).compactMap { $0 }.flatMap { $0 } == children.map { "all/\($0.name)" })
    }

    @Test func `a key with a slash is refused, not taken for a path`() throws {
        let file = try ValueReader.read(#"{"a":{"x/y":"\#(text)","z":"\#(text)"}}"#)
        let failure = #expect(throws: Failure.self) {
            try NodeImportPlan(replacing: file, byteCountMax: 500)
        }
        #expect(failure?.status == .usage)
    }

    @Test func `every part is checked before the first write is made`() throws {
        let database = Database(
            settings: DatabaseSettings(socketPath: "/nowhere", url: "https://demo.firebaseio.com"))
        let reference = database.reference(withPath: "rooms")
        try reference.checkUpdate(["a/b": 1, "a/.priority": "p"])
        #expect(throws: DatabaseError.self) { try reference.checkUpdate(["a/b.c": 1]) }
    }

    @Test func `a value that is too large for one write is told the limit and the cure`() throws {
        let count = ValueLiteral.writeByteCountMax / 2
        let half = ValueLiteral.string(String(repeating: "x", count: count))
        try half.checkFitsWrite()
        let failure = #expect(throws: Failure.self) {
            try ValueLiteral.array([half, half]).checkFitsWrite()
        }
        #expect(failure?.message?.contains("16,777,216 at most") == true)
        #expect(failure?.message?.contains("hearth rtdb import") == true)
    }
}
