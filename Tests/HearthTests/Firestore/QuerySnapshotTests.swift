import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct QuerySnapshotTests {
    private let firestore = Firestore(settings: FirestoreSettings(socketPath: "/nowhere"))

    private func set(
        _ order: DocumentOrder, _ documents: [(String, Int64)]
    ) throws -> DocumentSet {
        DocumentSet(
            order: order,
            try documents.map { name, number in
                .found(
                    try DocumentKey(parsing: "rooms/\(name)"), at: .zero, ["n": .integer(number)])
            })
    }

    private func summary(_ changes: [DocumentChange]) -> [String] {
        changes.map { change in
            let from = change.oldIndex.map(String.init) ?? "-"
            let to = change.newIndex.map(String.init) ?? "-"
            return "\(change.type) \(change.document.documentID) \(from) \(to)"
        }
    }

    @Test func `indexes tell where each document was and is when the changes are made in turn`()
        throws
    {
        let query = firestore.collection("rooms").order(by: "n")
        let order = query.model.order
        let flags = Event.SnapshotFlags(
            isFromCache: false, hasPendingWrites: false, excludesMetadataChanges: false)
        let update = ViewUpdate(
            from: try set(order, [("a", 1), ("b", 2), ("c", 3), ("d", 4)]),
            to: try set(order, [("c", 0), ("a", 1), ("e", 2), ("d", 4)]), flags: flags)
        let snapshot = QuerySnapshot(update: update, of: query)
        #expect(
            summary(snapshot.documentChanges)
                == ["removed b 1 -", "added e - 1", "modified c 2 0"])
        #expect(snapshot.map(\.documentID) == ["c", "a", "e", "d"])
    }

    @Test func `snapshots are equal if they show the same of the same query`() throws {
        let query = firestore.collection("rooms").order(by: "n")
        func snapshot(_ documents: [(String, Int64)], of query: Hearth.Query, isFromCache: Bool)
            throws -> QuerySnapshot
        {
            let flags = Event.SnapshotFlags(
                isFromCache: isFromCache, hasPendingWrites: false, excludesMetadataChanges: false)
            let documents = try set(query.model.order, documents)
            return QuerySnapshot(
                update: ViewUpdate(from: nil, to: documents, flags: flags), of: query)
        }
        let one = try snapshot([("a", 1)], of: query, isFromCache: false)
        let others = try [
            snapshot([("a", 2)], of: query, isFromCache: false),
            snapshot([("a", 1)], of: query, isFromCache: true),
            snapshot([("a", 1)], of: query.limit(to: 1), isFromCache: false),
        ]
        #expect(try one == snapshot([("a", 1)], of: query, isFromCache: false))
        #expect(Set(others + [one, one]).count == 4)
    }

    @Test func `numbers are equal if they are the same of the same question`() {
        func numbers(_ count: Int64, of fields: [AggregateField]) -> AggregateQuerySnapshot {
            AggregateQuerySnapshot(
                query: firestore.collection("rooms").aggregate(fields),
                values: [.count(): .integer(count)],
                metadata: SnapshotMetadata(hasPendingWrites: false, isFromCache: false))
        }
        let one = numbers(1, of: [.count()])
        let others = [numbers(2, of: [.count()]), numbers(1, of: [.count(), .sum("n")])]
        #expect(one == numbers(1, of: [.count()]))
        #expect(Set(others + [one, one]).count == 3)
    }

    @Test func `changes of metadata are told only on request`() throws {
        let query = firestore.collection("rooms")
        var view = ListenerView(order: query.model.order, includeMetadataChanges: true)
        _ = view.received(
            try Events.snapshot(
                1, [try Events.listed("rooms/a", [:], isPending: true)], isPending: true))
        guard
            case .show(let update) = view.received(
                try Events.snapshot(2, base: 1, [try Events.listed("rooms/a", [:])]))
        else {
            Issue.record("Nothing was shown")
            return
        }
        let snapshot = QuerySnapshot(update: update, of: query)
        #expect(snapshot.documentChanges.isEmpty)
        #expect(
            summary(snapshot.documentChanges(includeMetadataChanges: true)) == ["modified a 0 0"])
        #expect(snapshot.documents.first?.metadata.hasPendingWrites == false)
    }
}
