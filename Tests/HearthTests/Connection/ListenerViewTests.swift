import HearthModel
import HearthTestSupport
import HearthWire
import Testing

@testable import Hearth

struct ListenerViewTests {
    private let order = HearthModel.Query(path: ResourcePath(["rooms"])).order

    private func view(includeMetadataChanges: Bool = false) -> ListenerView {
        ListenerView(order: order, includeMetadataChanges: includeMetadataChanges)
    }

    private func shown(_ outcome: ListenerView.Outcome) throws -> ViewUpdate {
        guard case .show(let update) = outcome else {
            throw FirestoreError(.unknown, "Nothing was shown, but \(outcome)")
        }
        return update
    }

    private func summary(_ update: ViewUpdate) -> [String] {
        update.changes.map { "\($0.kind) \($0.document.key.documentID)" }
    }

    @Test func `the first snapshot shows every document as added, in order`() throws {
        var view = view()
        let update = try shown(
            view.received(
                try Events.snapshot(
                    1, [try Events.listed("rooms/b", [:]), try Events.listed("rooms/a", [:])])))
        #expect(summary(update) == ["added a", "added b"])
        #expect(update.previous == nil)
    }

    @Test func `an empty first snapshot is shown`() throws {
        var view = view()
        #expect(try shown(view.received(try Events.snapshot(1))).changes.isEmpty)
    }

    @Test func `a difference shows removed, added and modified documents`() throws {
        var view = view()
        _ = view.received(
            try Events.snapshot(
                1,
                [
                    try Events.listed("rooms/a", [:]), try Events.listed("rooms/b", [:]),
                    try Events.listed("rooms/d", [:]),
                ]))
        let update = try shown(
            view.received(
                try Events.snapshot(
                    2, base: 1,
                    [
                        try Events.listed("rooms/b", ["n": .integer(1)]),
                        try Events.listed("rooms/c", [:]),
                    ], removed: ["rooms/d", "rooms/a"])))
        #expect(summary(update) == ["removed a", "removed d", "added c", "modified b"])
        #expect(update.documents.documents.map(\.key.documentID) == ["b", "c"])
    }

    @Test func `rejections are told with the next snapshot that is shown, and once`() throws {
        func snapshot(_ id: UInt64, _ number: Int64, rejected: [Int64]) throws -> Event.Snapshot {
            var snapshot = try Events.snapshot(
                id, base: id == 1 ? nil : id - 1,
                [try Events.listed("rooms/a", ["n": .integer(number)])])
            snapshot.flags.rejectedWrites = rejected.map {
                .init(BatchID($0), HearthError(code: .aborted, message: "No."))
            }
            return snapshot
        }
        var view = view()
        _ = view.received(try snapshot(1, 1, rejected: []))
        #expect(view.received(try snapshot(2, 1, rejected: [7])) == .nothing)
        let shown = try shown(view.received(try snapshot(3, 2, rejected: [8])))
        #expect(shown.flags.rejectedWrites.map(\.batch.rawValue) == [7, 8])
        let next = try self.shown(view.received(try snapshot(4, 3, rejected: [])))
        #expect(next.flags.rejectedWrites.isEmpty)
        // A slow reader is shown one state for both.
        var unseen = UnseenUpdates(shown)
        unseen.append(next)
        let joined = unseen.joined
        #expect(joined.flags.rejectedWrites.map(\.batch.rawValue) == [7, 8])
        let firestore = Firestore(settings: FirestoreSettings(socketPath: "/nowhere"))
        let metadata = QuerySnapshot(update: joined, of: firestore.collection("rooms")).metadata
        #expect(metadata.rejectedWrites.map(\.batchID) == [7, 8])
        #expect(metadata.rejectedWrites.first?.error.code == .aborted)
        let document = DocumentSnapshot(update: joined, of: firestore.document("rooms/a"))
        #expect(document.metadata.rejectedWrites == metadata.rejectedWrites)
    }

    @Test func `after a reconnect only what changed is shown`() throws {
        var view = view()
        _ = view.received(
            try Events.snapshot(
                7, [try Events.listed("rooms/a", [:]), try Events.listed("rooms/b", [:])]))
        view.sessionEnded()
        let update = try shown(
            view.received(
                try Events.snapshot(
                    1, [try Events.listed("rooms/b", [:]), try Events.listed("rooms/c", [:])])))
        #expect(summary(update) == ["removed a", "added c"])
    }

    @Test func `after a reconnect nothing is shown if nothing changed`() throws {
        var view = view(includeMetadataChanges: true)
        let same = [try Events.listed("rooms/a", ["n": .integer(1)], isPending: true)]
        _ = view.received(try Events.snapshot(7, same, isPending: true))
        view.sessionEnded()
        #expect(view.received(try Events.snapshot(1, same, isPending: true)) == .nothing)
    }

    @Test func `a change of flags is shown only to who asked for it`() throws {
        for isAsked in [true, false] {
            var view = view(includeMetadataChanges: isAsked)
            _ = view.received(
                try Events.snapshot(
                    1, [try Events.listed("rooms/a", [:], isPending: true)], isFromCache: true,
                    isPending: true))
            let flags = view.received(
                try Events.snapshot(
                    2, base: 1, [try Events.listed("rooms/a", [:])], isFromCache: true))
            let synced = view.received(try Events.snapshot(3, base: 2))
            guard isAsked else {
                #expect(flags == .nothing)
                #expect(synced == .nothing)
                continue
            }
            #expect(summary(try shown(flags)) == ["metadata a"])
            #expect(try shown(synced).flags.isFromCache == false)
        }
    }

    @Test func `flags that were not shown are right in the next snapshot`() throws {
        var view = view()
        _ = view.received(
            try Events.snapshot(1, [try Events.listed("rooms/a", [:], isPending: true)]))
        _ = view.received(try Events.snapshot(2, base: 1, [try Events.listed("rooms/a", [:])]))
        let update = try shown(
            view.received(try Events.snapshot(3, base: 2, [try Events.listed("rooms/b", [:])])))
        #expect(summary(update) == ["added b"])
        #expect(update.documents.documents.map(\.hasPendingWrites) == [false, false])
    }

    @Test func `a difference on another base is no use`() throws {
        var view = view()
        #expect(view.received(try Events.snapshot(2, base: 1)) == .lost)
        _ = view.received(try Events.snapshot(1))
        #expect(view.received(try Events.snapshot(3, base: 2)) == .lost)
        view.sessionEnded()
        #expect(view.received(try Events.snapshot(2, base: 1)) == .lost)
    }

    @Test func `parts are shown when the last has come`() throws {
        var view = view()
        #expect(
            view.received(
                try Events.snapshot(1, [try Events.listed("rooms/a", [:])], hasMore: true))
                == .nothing)
        #expect(
            view.received(
                try Events.snapshot(1, [try Events.listed("rooms/b", [:])], hasMore: true))
                == .nothing)
        let update = try shown(
            view.received(try Events.snapshot(1, [try Events.listed("rooms/c", [:])])))
        #expect(summary(update) == ["added a", "added b", "added c"])
    }

    @Test func `parts of two snapshots do not mix`() throws {
        var view = view()
        _ = view.received(
            try Events.snapshot(1, [try Events.listed("rooms/a", [:])], hasMore: true))
        #expect(view.received(try Events.snapshot(2)) == .lost)
    }

    @Test(arguments: 0..<100)
    func `differences lead to the same state as the whole does`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var byDifference = view(includeMetadataChanges: true)
        var byWhole = byDifference
        var state: [String: (Int64, Bool)] = [:]
        for id in UInt64(1)...30 {
            var changed: [String] = []
            var removed: [String] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let path = "rooms/\(Int.random(in: 0..<8, using: &random))"
                if state[path] != nil, Bool.random(using: &random) {
                    state[path] = nil
                } else {
                    state[path] = (Int64.random(in: 0...2, using: &random), .random(using: &random))
                }
                changed.removeAll { $0 == path }
                removed.removeAll { $0 == path }
                if state[path] == nil { removed.append(path) } else { changed.append(path) }
            }
            func listed(_ paths: [String]) throws -> [Event.ListedDocument] {
                try paths.compactMap { path in
                    try state[path].map {
                        try Events.listed(path, ["n": .integer($0.0)], isPending: $0.1)
                    }
                }
            }
            let isFirst = id == 1
            let small = byDifference.received(
                try Events.snapshot(
                    id, base: isFirst ? nil : id - 1,
                    try listed(isFirst ? state.keys.sorted() : changed),
                    removed: isFirst ? [] : removed))
            let large = byWhole.received(try Events.snapshot(id, try listed(state.keys.sorted())))
            #expect(small == large, "seed \(seed), snapshot \(id)")
        }
    }
}
