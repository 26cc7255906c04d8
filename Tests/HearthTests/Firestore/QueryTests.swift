import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct QueryTests {
    private let firestore = Firestore(settings: FirestoreSettings(socketPath: "/nowhere"))

    private func field(_ name: String) -> HearthModel.FieldPath { HearthModel.FieldPath([name]) }

    @Test func `a query gathers conditions, order and limit`() throws {
        let query = firestore.collection("rooms")
            .whereField("lights", isGreaterThan: 2)
            .whereField(Hearth.FieldPath(["a.b"]), isEqualTo: "x")
            .order(by: "lights", descending: true)
            .limit(to: 5)
            .start(after: [9])
        var expected = HearthModel.Query(path: ResourcePath(["rooms"]))
        expected.filters = [
            .field(field("lights"), .greaterThan, .integer(2)),
            .field(field("a.b"), .equal, .string("x")),
        ]
        expected.explicitOrderBys = [OrderBy(field("lights"), .descending)]
        expected.limit = HearthModel.Query.Limit(5)
        expected.startAt = Bound([.integer(9)], isInclusive: false)
        #expect(try query.validated() == expected)
    }

    @Test func `a conjunction of fields is the same as its conditions one by one`() throws {
        let rooms = firestore.collection("rooms")
        let joined = rooms.whereFilter(
            .andFilter([
                .whereField("a", isEqualTo: 1), .whereField("b", arrayContains: 2),
            ]))
        let single = rooms.whereField("a", isEqualTo: 1).whereField("b", arrayContains: 2)
        #expect(joined == single)
    }

    @Test func `joined conditions that are none, or one, join nothing`() throws {
        let rooms = firestore.collection("rooms")
        let (a, b) = (Hearth.Filter.whereField("a", isEqualTo: 1), Hearth.Filter.orFilter([]))
        #expect(rooms.whereFilter(b).model == rooms.model)
        #expect(rooms.whereFilter(.andFilter([b, .orFilter([b])])).model == rooms.model)
        let single = rooms.whereFilter(a)
        #expect(rooms.whereFilter(.orFilter([a])) == single)
        #expect(rooms.whereFilter(.orFilter([b, .andFilter([a, b])])) == single)
        #expect(try rooms.whereFilter(b).validated() == rooms.validated())
    }

    @Test func `a list of values may hold arrays, unless arrays are looked into`() throws {
        let rooms = firestore.collection("rooms")
        let lists: [Any] = [[1, 2], "x"]
        let list = Value.array([.array([.integer(1), .integer(2)]), .string("x")])
        #expect(
            try rooms.whereField("a", in: lists).validated().filters
                == [.field(field("a"), .isIn, list)])
        #expect(
            try rooms.whereField("a", notIn: lists).validated().filters
                == [.field(field("a"), .isNotIn, list)])
        #expect(throws: FirestoreError.self) {
            try rooms.whereField("a", arrayContainsAny: lists).validated()
        }
        #expect(throws: FirestoreError.self) {
            try rooms.whereField("a", in: [[[1]]]).validated()
        }
    }

    @Test func `a string for a document's name becomes the document`() throws {
        let query = firestore.collection("rooms")
            .whereField(Hearth.FieldPath.documentID(), in: ["hall", "attic"])
        let ids: [PathSegment] = ["hall", "attic"]
        let names = ids.map {
            Value.reference(DocumentName(database: .ofSession, path: ResourcePath(["rooms", $0])))
        }
        #expect(
            try query.validated().filters
                == [.field(HearthModel.FieldPath.documentID, .isIn, .array(names))])
        #expect(throws: FirestoreError.self) {
            try firestore.collection("rooms")
                .whereField(Hearth.FieldPath.documentID(), isEqualTo: "hall/lamps").validated()
        }
    }

    @Test func `a document as a cursor gives a value for each sort key`() throws {
        let document = Document.found(
            try DocumentKey(parsing: "rooms/hall"), at: .zero, ["n": .integer(4)])
        let snapshot = DocumentSnapshot(
            reference: firestore.document("rooms/hall"), document: document, isFromCache: false)
        let query = firestore.collection("rooms").order(by: "n").start(atDocument: snapshot)
        let name = DocumentName(database: .ofSession, path: ResourcePath(["rooms", "hall"]))
        #expect(
            try query.validated().startAt
                == Bound([.integer(4), .reference(name)], isInclusive: true))
        #expect(throws: FirestoreError.self) {
            try firestore.collection("rooms").order(by: "z").end(atDocument: snapshot).validated()
        }
    }

    @Test func `what is wrong with a query is told when it is used`() async {
        let wrong = [
            firestore.collection("rooms").whereField("a..b", isEqualTo: 1),
            firestore.collection("rooms").whereField("a", in: []),
            firestore.collection("rooms").limit(to: 0),
            firestore.collection("rooms").limit(toLast: 3),
            firestore.collection("rooms").start(at: [1]),
            firestore.collection("rooms").order(by: "a").start(at: [1]).order(by: "b"),
            firestore.collection("rooms").order(by: "a").end(before: [1]).order(by: "b"),
            firestore.collection("rooms").whereField("a", isEqualTo: FieldValue.delete()),
            firestore.collectionGroup("a/b"),
        ]
        for query in wrong {
            await #expect(throws: FirestoreError.self) { try await query.getDocuments() }
            await #expect(throws: FirestoreError.self) { for try await _ in query.snapshots {} }
        }
    }

    @Test func `paths lead up and down`() {
        let lamps = firestore.collection("rooms/hall/lamps")
        #expect(lamps.collectionID == "lamps")
        #expect(lamps.parent?.path == "rooms/hall")
        #expect(lamps.parent?.parent.parent == nil)
        #expect(lamps.document("a").path == "rooms/hall/lamps/a")
        #expect(firestore.document("rooms/hall").collection("lamps") == lamps)
        #expect(lamps.document().documentID.utf8.count == 20)
        #expect(lamps.document() != lamps.document())
    }

    @Test func `a path that a person typed is checked`() throws {
        #expect(try firestore.validatedDocument("a/b").path == "a/b")
        #expect(try firestore.validatedCollection("a").path == "a")
        #expect(throws: FirestoreError.self) { try firestore.validatedDocument("a") }
        #expect(throws: FirestoreError.self) { try firestore.validatedDocument("a//b") }
        #expect(throws: FirestoreError.self) { try firestore.validatedCollection("a/b") }
        #expect(throws: FirestoreError.self) { try firestore.validatedCollection("") }
    }
}
