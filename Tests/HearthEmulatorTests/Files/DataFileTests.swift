import HearthModel
import Testing

@testable import HearthEmulator

struct DataFileTests {
    private let database = DatabaseID(project: "p", database: "d")

    private func document(_ path: String, _ fields: MapValue) throws -> Document {
        let version = SnapshotVersion(Timestamp(seconds: 1_700_000_000, nanoseconds: 1_000))
        return .found(try DocumentKey(parsing: path), at: version, fields, createdAt: version)
    }

    private var fields: MapValue {
        [
            "a": .array([.integer(1), .double(-0.5), .null]), "b": .bytes([0, 255]),
            "g": .geoPoint(GeoPoint(latitude: 1, longitude: 2)), "m": .map(["x": .boolean(true)]),
            "s": .string("é"), "t": .timestamp(Timestamp(seconds: 5, nanoseconds: 0)),
        ]
    }

    @Test func `documents come back from JSON and from a bundle`() throws {
        let documents = [try document("c/a", fields), try document("c/a/d/b", [:])]
        let files = [
            try DataFile.json(of: [(database, documents)]),
            DataFile.bundle(of: documents, in: database, id: "x", readAt: documents[0].version),
        ]
        for file in files {
            let contents = try DataFile.read(file, database: DatabaseID(project: "other"))
            #expect(contents.map(\.database) == [database])
            #expect(contents.first?.documents.map(\.key) == documents.map(\.key))
            #expect(contents.first?.documents.map(\.fields) == [fields, [:]])
        }
    }

    @Test func `plain JSON names documents by path`() throws {
        let text = #"{"c/a":{"n":1,"x":1.5,"l":["x",null],"m":{"k":true}},"c/b":{}}"#
        let contents = try DataFile.read(Array(text.utf8), database: database)
        #expect(contents.count == 1)
        #expect(contents.first?.documents.map(\.key.path.string) == ["c/a", "c/b"])
        #expect(
            contents.first?.documents.first?.fields == [
                "n": .integer(1), "x": .double(1.5), "l": .array([.string("x"), .null]),
                "m": .map(["k": .boolean(true)]),
            ])
    }

    @Test(arguments: [
        "", "[]", "{", #"{"c":{}}"#, #"{"c/a":1}"#, #"{"c/a":{"l":[[1]]}}"#,
        #"{"documents":[{}]}"#, #"{"documents":[{"name":"c"}]}"#,
        #"{"documents":[{"name":"c/a","fields":{"x":{}}}]}"#, "5{}", "99999999999999999999{}", "0",
    ])
    func `what is no such file is refused`(text: String) {
        let error = #expect(throws: HearthError.self) {
            try DataFile.read(Array(text.utf8), database: database)
        }
        #expect(error?.code == .invalidArgument)
    }
}
