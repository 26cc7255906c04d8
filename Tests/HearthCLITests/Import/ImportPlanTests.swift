import Testing

@testable import HearthCLI

struct ImportPlanTests {
    private func records(
        _ text: String, id: String? = "code", array: String? = nil, derive: [String] = [],
        fileName: String = "The file"
    ) throws -> [ImportPlan.Record] {
        let plan = ImportPlan(
            idField: try id.map { try FieldPathText($0) },
            derivations: try derive.map { try Derivation(parsing: $0) }, arrayName: array,
            fileName: fileName)
        return try plan.records(in: Array(text.utf8))
    }

    private func message(_ work: () throws -> [ImportPlan.Record]) throws -> String {
        let failure = try #require(throws: Failure.self) { try work() }
        return failure.message ?? ""
    }

    @Test func `an array, an object with one, and lines of objects hold the same records`() throws {
        let expected = [
            ImportPlan.Record(name: "a", fields: .map([.init(name: "code", value: .string("a"))])),
            ImportPlan.Record(name: "b", fields: .map([.init(name: "code", value: .string("b"))])),
        ]
        #expect(try records(#"[{"code":"a"},{"code":"b"}]"#) == expected)
        #expect(try records(#"{"x":[{"code":"a"},{"code":"b"}]}"#, array: "x") == expected)
        #expect(try records("{\"code\":\"a\"}\n{\"code\":\"b\"}\n") == expected)
    }

    @Test func `a number can name a document, and so can a derived field`() throws {
        #expect(try records(#"[{"code":7}]"#).map(\.name) == ["7"])
        let derived = try records(#"[{"x":"a-b"}]"#, derive: ["code=x:after:-"])
        #expect(derived.map(\.name) == ["b"])
    }

    @Test func `documents without a naming field get names by chance`() throws {
        #expect(try records(#"[{"a":1},{"a":1}]"#, id: nil).map(\.name) == [nil, nil])
    }

    @Test func `an object that holds an array makes one think of its name`() throws {
        let text = #"{"3166-2":[{"code":"a"}]}"#
        #expect(
            try message { try records(text) }
                == "The file is one object. Did you mean --array 3166-2?")
        #expect(
            try message { try records(text, array: "x") }
                == "The file has no array \"x\". It has \"3166-2\".")
    }

    @Test(arguments: [
        (#"[{"code":"a"},7]"#, "The file, record 2 of 2: it is an integer, not a map."),
        (#"[{"x":1}]"#, "The file, record 1 of 1: it has no code to name it by."),
        (
            #"[{"code":"a/b"}]"#,
            "The file, record 1 of 1: its code is \"a/b\", which cannot name a document."
        ),
        (
            #"[{"code":"a"},{"code":"a"}]"#,
            "The file, record 2 of 2: record 1 has the same name, \"a\"."
        ),
        (
            "[{\"code\":\n}]",
            "The file is no JSON at line 2, column 1: no value starts like this; "
                + "text needs quotes here."
        ),
    ])
    func `a wrong record is told with its number`(text: String, expected: String) throws {
        #expect(try message { try records(text) } == expected)
    }
    @Test(arguments: [
        ("{\"code\":\"a\"}\nrooms", "menu.json is no JSON at line 2, column 1: "),
        ("[7]", "menu.json, record 1 of 1: "), (#"{"x":[]}"#, "menu.json is one object. "),
    ])
    func `what is wrong with a file is told with the file's name`(
        text: String, beginning: String
    ) throws {
        let message = try message { try records(text, fileName: "menu.json") }
        #expect(message.hasPrefix(beginning), "\(message)")
    }
}
