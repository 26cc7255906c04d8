import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Queries without their values.
struct QueryShapeTests {
    @Test func `values and names of documents are left out`() {
        var query = collection("rooms/hall/messages")
        query.filters = [.field(FieldPath(["sender"]), .equal, .string("ada"))]
        query.explicitOrderBys = [OrderBy(FieldPath(["sentAt"]), .descending)]
        query.limit = .init(50)
        let shape = QueryShape(of: query.target).text
        #expect(shape == "rooms/*/messages where sender == ? order by sentAt desc limit 50")
        #expect(QueryShape(of: key("rooms/hall")).text == "rooms/*")
        #expect(QueryShape(of: Query(document: key("rooms/hall")).target).text == "rooms/*")
    }

    @Test func `no name of a document is written out, behind a mark or far down a path`() {
        #expect(QueryShape(of: key("rooms/\u{301}hall")).text == "rooms/*")
        let deep = (0..<40).map { _ in "c/secret" }.joined(separator: "/")
        let text = QueryShape(of: key(deep)).text
        #expect(text.hasPrefix("c/*/c/*") && !text.contains("secret"))
    }

    @Test func `a text from outside becomes printable and short`() {
        let long = QueryShape(stored: String(repeating: "a\u{1B}\u{E9}", count: 1_000)).text
        #expect(long.utf8.count <= QueryShape.byteCountMax)
        #expect(long.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        let program = LedgerProgram(
            uid: 1, unit: "", name: "e\u{301}\n" + String(repeating: "x", count: 99))
        #expect(program.name.utf8.count == LedgerProgram.nameByteCountMax)
        #expect(program.name.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }

    @Test func `a unit counts if it is a service, for a scope is made for one run`() {
        func unit(_ unit: String?) -> String {
            LedgerProgram(of: Writer(uid: 1, gid: 1, pid: 1, unit: unit, program: "p")).unit
        }
        #expect(unit("kiosk.service") == "kiosk.service")
        #expect(unit("session-3.scope") == "")
        #expect(unit(nil) == "")
    }
}
