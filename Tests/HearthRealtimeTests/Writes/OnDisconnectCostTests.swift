import HearthEngine
import HearthModel
import Testing

@testable import HearthRealtime

/// The cost of orders for the connection's end, and the backend's news of the orders.
struct OnDisconnectCostTests {
    private static let count = 1_000

    /// A tree of orders with a backend that accepts every order.
    private struct Bench {
        var tree = OnDisconnectTree()
        private var lastNumber: UInt64 = 0

        mutating func order(
            _ session: UInt64, _ change: RealtimeChange, _ scope: OnDisconnectScope = .programOrLink
        ) {
            lastNumber += 1
            let writer = Writer(uid: 1_000, gid: 1_000, pid: Int32(session))
            _ = tree.take(
                RequestID(session: session, number: lastNumber), .write(change), scope, writer,
                of: .unauthenticated)
        }

        /// Tells the backend what there is to tell.
        mutating func talk() -> [RealtimeAction] {
            tree.takeRequests().map { number, action in
                _ = tree.answered(number, nil)
                return action
            }
        }

        /// A program ends, and what it had ordered is written.
        mutating func end(_ session: UInt64) {
            for (index, farewell) in tree.sessionEnded(session).enumerated() {
                let batch = BatchID(Int64(session) * 1_000 + Int64(index))
                tree.queued(farewell.number, as: batch)
                tree.settled(batch)
            }
        }
    }

    private static func update(_ value: Int64) -> RealtimeChange {
        let parts = (0..<count).map { number in
            RealtimeChange.Part(
                WritePath(RealtimePath([ChildKey(unchecked: "k\(number)")])),
                UnresolvedNode(Node(.integer(value))))
        }
        return .update("many", parts)
    }

    private static func set(_ path: RealtimePath, _ value: Int64) -> RealtimeChange {
        .set(WritePath(path), UnresolvedNode(Node(.integer(value))))
    }

    @Test func `an update of many places ordered twice costs as much as both updates`() {
        var bench = Bench()
        bench.order(1, Self.update(1))
        bench.order(1, Self.update(2))
        #expect(bench.tree.lookCount < 10 * Self.count)
        #expect(bench.tree.orders(of: 1).map(\.change) == [Self.update(2)].map(Self.sorted))
    }

    /// The change with its parts in the order of places.
    private static func sorted(_ change: RealtimeChange) -> RealtimeChange {
        guard case .update(let path, let parts) = change else { return change }
        return .update(path, parts.sorted { WritePath.compare($0.place, $1.place) < 0 })
    }

    @Test func `orders of single places take an update away in as many steps`() {
        var bench = Bench()
        bench.order(1, Self.update(1), .link)
        for number in 0..<900 {
            bench.order(
                1, Self.set(RealtimePath(["many", ChildKey(unchecked: "k\(number)")]), 2), .link)
        }
        #expect(bench.tree.lookCount < 10 * Self.count)
        #expect(bench.tree.orders(of: 1).map(\.parts.count).sorted().suffix(2) == [1, 100])
    }

    @Test func `the end of a program tells the backend once of each place that others share`() {
        var bench = Bench()
        bench.order(2, Self.update(2))
        bench.order(1, Self.update(1))
        _ = bench.talk()
        bench.end(1)
        var (canceled, told) = (0, 0)
        for action in bench.talk() {
            switch action {
            case .onDisconnectCancel: canceled += 1
            case .onDisconnectMerge(_, let parts): told += parts.count
            default: Issue.record("\(action) was not to be asked")
            }
        }
        #expect(canceled == Self.count && told == Self.count)
        #expect(bench.tree.lookCount < 20 * Self.count)
    }

    @Test func `the end of a program gives no place back that a later order has taken`() {
        var bench = Bench()
        let both = RealtimeChange.update(
            .root,
            [
                .init(WritePath("a"), UnresolvedNode(Node(1))),
                .init(WritePath("b"), UnresolvedNode(Node(1))),
            ])
        bench.order(1, both)
        bench.order(2, Self.set("b", 2))
        bench.order(3, Self.set("a", 3))
        _ = bench.talk()
        bench.end(3)
        let parts = [RealtimeChange.Part(WritePath("a"), UnresolvedNode(Node(1)))]
        #expect(
            bench.talk() == [.onDisconnectCancel(WritePath("a")), .onDisconnectMerge(.root, parts)])
    }

    @Test func `an order that is allowed no more takes none below with it`() {
        var bench = Bench()
        bench.order(1, Self.set("a", 1))
        bench.order(1, Self.set("a/b", 2))
        bench.order(2, Self.set("a/c", 3))
        _ = bench.talk()
        let error = HearthError(code: .permissionDenied, message: "no")
        let replies = bench.tree.deny([WritePath("a")], of: 1, because: error)
        #expect(replies.isEmpty)
        #expect(
            bench.talk() == [
                .onDisconnectCancel(WritePath("a")),
                .onDisconnectPut(WritePath("a/b"), UnresolvedNode(Node(2))),
                .onDisconnectPut(WritePath("a/c"), UnresolvedNode(Node(3))),
            ])
        #expect(bench.tree.orders(of: 1).map(\.change) == [Self.set("a/b", 2)])
    }

    @Test func `the connection is needed while an order is the backend's matter`() {
        var bench = Bench()
        bench.order(1, Self.set("a", 1), .program)
        #expect(!bench.tree.needsLink)
        bench.order(1, Self.set("b", 1))
        #expect(bench.tree.needsLink)
        _ = bench.talk()
        #expect(bench.tree.needsLink)
        _ = bench.tree.linkClosed()
        #expect(!bench.tree.needsLink && bench.tree.orders.count == 1)
    }

    @Test func `what is taken away counts for its user no more`() {
        var bench = Bench()
        let large = Node(.string(String(repeating: "x", count: 30 << 20)))
        for _ in 0..<5 {
            bench.order(1, .set(WritePath("a"), UnresolvedNode(large)))
        }
        #expect(bench.tree.orders.count == 1)
    }
}
