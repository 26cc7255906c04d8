import HearthModel
import Testing

struct DocumentKeyTests {
    @Test func `a document has an even number of segments`() throws {
        #expect(DocumentKey(.root) == nil)
        #expect(DocumentKey(path("rooms")) == nil)
        #expect(DocumentKey(path("rooms/hall"))?.path == path("rooms/hall"))
        #expect(throws: PathError.wrongSegmentCount(path: "rooms", count: 1)) {
            try DocumentKey(parsing: "rooms")
        }
        #expect(throws: PathError.emptySegment(path: "rooms//hall")) {
            try DocumentKey(parsing: "rooms//hall")
        }
    }

    @Test func `a key knows its collection, group and id`() {
        let message = key("rooms/hall/messages/1")
        #expect(message.collection == path("rooms/hall/messages"))
        #expect(message.collectionGroup == "messages")
        #expect(message.documentID == "1")
        #expect("\(message)" == "rooms/hall/messages/1")
    }

    @Test func `keys are ordered as their paths`() {
        #expect(key("c/__id7__") < key("c/__id10__"))
        #expect(key("c/__id10__") < key("c/10"))
        #expect(key("c/a").compare(to: key("c/a")) == 0)
    }

    @Test func `a name holds database and path`() throws {
        let name = try #require(DocumentName("projects/p/databases/d/documents/c/a"))
        #expect(name.database == DatabaseID(project: "p", database: "d"))
        #expect(name.key == key("c/a"))
        #expect("\(name)" == "projects/p/databases/d/documents/c/a")
        let root = try #require(DocumentName("projects/p/databases/d/documents"))
        #expect(root.path == .root)
        #expect(root.key == nil)
        #expect("\(root)" == "projects/p/databases/d/documents")
    }

    @Test(
        arguments: [
            "", "c/a", "projects/p/databases/d", "projects/p/databases/d/c/a",
            "/projects/p/databases/d/documents/c/a", "projects//databases/d/documents/c/a",
            "Projects/p/databases/d/documents/c/a", "projects/p/database/d/documents/c/a",
            "projects/p/databases/d/documents/c/a/",
        ])
    func `other texts are no names`(text: String) {
        #expect(DocumentName(text) == nil)
    }

    @Test func `names are ordered by project, database, then path`() {
        func name(_ project: String, _ database: String, _ text: String) -> DocumentName {
            DocumentName(database: DatabaseID(project: project, database: database), key: key(text))
        }
        let ordered = [
            name("a", "z", "c/z"), name("b", "(default)", "c/__id7__"),
            name("b", "(default)", "c/__id10__"), name("b", "(default)", "c/10"),
            name("b", "(default)", "c/a"), name("b", "(default)", "c/a/d/e"),
            name("b", "(default)", "c/a!"), name("b", "other", "c/a"),
        ]
        for (index, left) in ordered.enumerated() {
            #expect(left.compare(to: left) == 0)
            for right in ordered[(index + 1)...] {
                #expect(left.compare(to: right) < 0, "\(left) \(right)")
                #expect(right.compare(to: left) > 0, "\(right) \(left)")
            }
        }
    }
}
