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

    @Test func `spellings that Unicode holds equivalent are two projects`() {
        let composed = DatabaseID(project: "caf\u{E9}")
        let decomposed = DatabaseID(project: "cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }
}
