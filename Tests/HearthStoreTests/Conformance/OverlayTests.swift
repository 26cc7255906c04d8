import HearthFirestore
import HearthModel
import Testing

struct OverlayTests {
    private let nobody = UserID.unauthenticated
    private let alice = UserID("alice")

    private func overlay(_ name: String, _ batch: Int64) -> Overlay {
        Overlay(largestBatchID: BatchID(batch), mutation: set(name))
    }

    @Test(arguments: StoreKind.allCases)
    func `a pending server timestamp survives in an overlay`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let pending = PendingServerTimestamp(
            localWriteTime: Timestamp(seconds: 5, nanoseconds: 6), previousValue: .string("before"))
        let bare = PendingServerTimestamp(
            localWriteTime: Timestamp(seconds: 5, nanoseconds: 6), previousValue: nil)
        let fields: MapValue = [
            "at": .serverTimestamp(pending), "in": .map(["at": .serverTimestamp(bare)]),
        ]
        let written = Overlay(largestBatchID: BatchID(1), mutation: set("a/b", fields))
        try bench.write { try $0.setOverlays([written], of: nobody) }
        let read = try bench.write { try $0.overlay(key("a/b"), of: nobody) }
        #expect(read == written)
        guard case .set(let values)? = read?.mutation.kind,
            case .serverTimestamp(let kept)? = values["at"]
        else {
            Issue.record("The overlay came back as \(String(describing: read))")
            return
        }
        #expect(kept.previousValue == .string("before"))
    }

    @Test(arguments: StoreKind.allCases)
    func `overlays belong to a user and replace each other`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.setOverlays([overlay("a/1", 1), overlay("a/2", 1)], of: nobody)
            try $0.setOverlays([overlay("a/1", 2)], of: nobody)
            try $0.setOverlays([overlay("a/1", 3)], of: alice)
        }
        #expect(
            try bench.write { try $0.overlay(key("a/1"), of: nobody) }?.largestBatchID
                == BatchID(2))
        let some = try bench.write {
            try $0.overlays([key("a/1"), key("a/2"), key("a/3")], of: alice)
        }
        #expect(some == [key("a/1"): overlay("a/1", 3)])
        try bench.write { try $0.removeOverlays([key("a/1"), key("x/y")], of: nobody) }
        #expect(try bench.write { try $0.overlay(key("a/1"), of: nobody) } == nil)
        #expect(try bench.write { try $0.overlay(key("a/1"), of: alice) } != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `overlays are found where a query looks, behind a batch`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.setOverlays(
                [
                    overlay("posts/1", 1), overlay("posts/2", 2), overlay("users/a/posts/3", 3),
                    overlay("users/b/posts/4", 4), overlay("other/5", 5),
                ], of: nobody)
        }
        func names(_ query: Query, after batch: Int64 = 0) throws -> [String] {
            try bench.write { try $0.overlays(for: query, after: BatchID(batch), of: nobody) }
                .keys.map(\.path.string).sorted()
        }
        #expect(try names(Query(path: path("posts"))) == ["posts/1", "posts/2"])
        #expect(try names(Query(path: path("posts")), after: 1) == ["posts/2"])
        #expect(try names(Query(document: key("posts/2"))) == ["posts/2"])
        #expect(try names(Query(document: key("posts/2")), after: 2).isEmpty)
        #expect(try names(Query(collectionGroup: "posts")).count == 4)
        #expect(
            try names(Query(collectionGroup: "posts", below: path("users/a")))
                == ["users/a/posts/3"])
    }

    @Test(arguments: StoreKind.allCases)
    func `the few overlays in a group of many collections are found`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            for number in 0..<600 { try $0.setRemoteDocument(found("users/u\(number)/posts/p")) }
            try $0.setOverlays(
                [
                    overlay("users/u7/posts/p", 1), overlay("users/u599/posts/p", 2),
                    overlay("users/new/posts/p", 3), overlay("users/u7/other/p", 4),
                ], of: nobody)
            try $0.setOverlays([overlay("users/u8/posts/p", 5)], of: UserID("ada"))
        }
        func names(_ query: Query, after batch: Int64 = 0) throws -> [String] {
            try bench.write { try $0.overlays(for: query, after: BatchID(batch), of: nobody) }
                .keys.map(\.path.string).sorted()
        }
        let all = Query(collectionGroup: "posts")
        #expect(
            try names(all) == ["users/new/posts/p", "users/u599/posts/p", "users/u7/posts/p"])
        #expect(try names(all, after: 1) == ["users/new/posts/p", "users/u599/posts/p"])
        #expect(
            try names(Query(collectionGroup: "posts", below: path("users/u7")))
                == ["users/u7/posts/p"])
    }
}
