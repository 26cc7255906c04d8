import HearthModel
import Testing

struct DatabaseIDTests {
    @Test func `a database is the default one unless named`() {
        let id = DatabaseID(project: "demo")
        #expect(id.name == "projects/demo/databases/(default)")
        #expect(id.documentsName == "projects/demo/databases/(default)/documents")
        #expect("\(id)" == id.name)
        #expect(DatabaseID(project: "demo", database: "other") != id)
    }

    @Test(arguments: [
        ("demo", "(default)"), ("p", "d"), ("demo-shop", "orders-2"), ("example.com:shop", "other"),
        ("eu.example.com:shop-1", "4ever"), ("381276512345", "(default)"),
        (String(repeating: "p", count: 128), String(repeating: "d", count: 128)),
    ])
    func `a name as the backend gives them is possible`(project: String, database: String) {
        #expect(DatabaseID(project: project, database: database).isPossible)
    }

    @Test(arguments: [
        "", "Shop", "my_shop", "-shop", "shop-", "..", ".", "a.b", "(default)", "s h", "shop\n",
        "a%2f",
        "caf\u{E9}", ":shop", "shop:", "a:b:c", "example:shop", "example.com:", ".com:shop",
        String(repeating: "p", count: 129),
    ])
    func `a name that the backend can never give is impossible`(id: String) {
        #expect(!DatabaseID(project: id).isPossible)
        if id != "(default)" { #expect(!DatabaseID(project: "demo", database: id).isPossible) }
    }

    @Test(arguments: ["(default", "default)", "((", "(other)", "example.com:d"])
    func `a database has neither brackets nor a domain`(id: String) {
        #expect(!DatabaseID(project: "demo", database: id).isPossible)
    }

    @Test func `spellings that Unicode holds equivalent are two projects`() {
        let composed = DatabaseID(project: "caf\u{E9}")
        let decomposed = DatabaseID(project: "cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }
}
