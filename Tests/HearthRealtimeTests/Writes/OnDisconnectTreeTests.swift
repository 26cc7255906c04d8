import HearthEngine
import HearthModel
import Testing

@testable import HearthRealtime

/// What is to happen when programs or the connection end.
struct OnDisconnectTreeTests {
    /// The tree with a backend that keeps one list for the connection.
    private struct Bench {
        var tree = OnDisconnectTree()
        /// What the backend would write at the connection's end, in order.
        var backend: [RealtimeChange] = []
        var replies: [OnDisconnectTree.Reply] = []
        private var lastNumber: UInt64 = 0

        @discardableResult
        mutating func order(
            _ session: UInt64, _ path: RealtimePath, _ node: Node,
            _ scope: OnDisconnectScope = .programOrLink
        ) -> RequestID {
            let change = RealtimeChange.set(WritePath(path), UnresolvedNode(node))
            return take(session, .write(change), scope)
        }

        @discardableResult
        mutating func take(
            _ session: UInt64, _ order: OnDisconnectOrder,
            _ scope: OnDisconnectScope = .programOrLink
        ) -> RequestID {
            lastNumber += 1
            let id = RequestID(session: session, number: lastNumber)
            let writer = Writer(uid: 1_000, gid: 1_000, pid: Int32(session))
            replies += tree.take(id, order, scope, writer, of: .unauthenticated)
            return id
        }

        /// The backend is asked what there is to ask, and answers.
        mutating func talk(refusing error: HearthError? = nil) {
            for (number, action) in tree.takeRequests() {
                if error == nil { apply(action) }
                replies += tree.answered(number, error)
            }
        }

        private mutating func apply(_ action: RealtimeAction) {
            switch action {
            case .onDisconnectPut(let place, let node):
                backend = backend.compactMap { $0.without(place) } + [.set(place, node)]
            case .onDisconnectMerge(let path, let parts):
                for part in parts {
                    backend = backend.compactMap { $0.without(part.place.below(path)) }
                }
                backend.append(.update(path, parts))
            case .onDisconnectCancel(let place):
                backend = backend.compactMap { $0.without(place) }
            default: Issue.record("\(action) is no order")
            }
        }

        func backendWrites() -> Node { Self.made(backend) }

        static func made(_ changes: [RealtimeChange]) -> Node {
            changes.flatMap(\.parts).reduce(.empty) {
                $0.setting($1.place, to: $1.node.resolved(over: .empty, at: 0))
            }
        }
    }

    private static let refusal = HearthError(code: .permissionDenied, message: "no")

    @Test func `an order is complete when the backend has it`() {
        var bench = Bench()
        let id = bench.order(1, "a", Node(false))
        #expect(bench.replies.isEmpty && bench.tree.needsLink)
        bench.talk()
        #expect(bench.replies == [.complete(id)])
        #expect(bench.backendWrites().description == #"{"a":false}"#)
    }

    @Test func `an order that the backend refuses is forgotten`() {
        var bench = Bench()
        let id = bench.order(1, "a", Node(false))
        bench.talk(refusing: Self.refusal)
        #expect(bench.replies == [.refuse(id, Self.refusal)])
        let farewells = bench.tree.sessionEnded(1)
        #expect(farewells.isEmpty && !bench.tree.needsLink)
    }

    @Test func `the end of a program is written here, and the backend keeps the order till then`() {
        var bench = Bench()
        bench.order(1, "a", Node(false))
        bench.talk()
        let farewells = bench.tree.sessionEnded(1)
        #expect(farewells.map(\.endsWithLink) == [true])
        #expect(Bench.made(farewells.map(\.change)).description == #"{"a":false}"#)
        bench.tree.queued(farewells[0].number, as: BatchID(5))
        bench.talk()
        #expect(bench.backend.count == 1)
        bench.tree.settled(BatchID(5))
        bench.talk()
        #expect(bench.backend.isEmpty && !bench.tree.needsLink)
    }

    @Test func `a farewell is dropped if the link ends before its answer`() {
        var bench = Bench()
        bench.order(1, "a", Node(false))
        bench.talk()
        bench.tree.queued(bench.tree.sessionEnded(1)[0].number, as: BatchID(5))
        let remains = bench.tree.linkClosed()
        #expect(remains.dropped == [BatchID(5)])
        #expect(Bench.made(remains.changes).description == #"{"a":false}"#)
        bench.tree.settled(BatchID(5))
        #expect(!bench.tree.needsLink)
    }

    @Test func `the end of one program leaves another's order at the same place`() {
        var bench = Bench()
        bench.order(2, "a/b", Node("second"))
        bench.order(1, "a", Node("first"))
        bench.talk()
        #expect(bench.backendWrites().description == #"{"a":"first"}"#)
        bench.tree.queued(bench.tree.sessionEnded(1)[0].number, as: BatchID(5))
        bench.tree.settled(BatchID(5))
        bench.talk()
        #expect(bench.backendWrites().description == #"{"a":{"b":"second"}}"#)
    }

    @Test func `a program that came again keeps its order when the old one's is taken back`() {
        var bench = Bench()
        bench.order(1, "a", Node("old"))
        bench.talk()
        let farewell = bench.tree.sessionEnded(1)[0]
        bench.tree.queued(farewell.number, as: BatchID(5))
        bench.order(2, "a", Node("new"))
        bench.talk()
        bench.tree.settled(BatchID(5))
        let requests = bench.tree.takeRequests()
        #expect(requests.isEmpty)
        #expect(bench.backendWrites().description == #"{"a":"new"}"#)
    }

    @Test func `cancelling forgets a program's own orders at a place and below`() {
        var bench = Bench()
        bench.order(1, "a/b", Node(1))
        bench.take(
            1,
            .write(
                .update(
                    .root,
                    [
                        .init("a/c".place, UnresolvedNode(Node(2))),
                        .init("d".place, UnresolvedNode(Node(3))),
                    ])))
        bench.order(2, "a/e", Node(4))
        bench.talk()
        let id = bench.take(1, .cancel("a"))
        bench.talk()
        #expect(bench.replies.last == .complete(id))
        #expect(bench.backendWrites().description == #"{"a":{"e":4},"d":3}"#)
        let written = bench.tree.sessionEnded(1).map(\.change)
        #expect(Bench.made(written).description == #"{"d":3}"#)
    }

    @Test func `an order taken back before the backend heard of it is answered`() {
        var bench = Bench()
        let order = bench.order(1, "a", Node(1))
        let cancelling = bench.take(1, .cancel("a"))
        #expect(bench.replies == [.complete(order), .complete(cancelling)])
        let requests = bench.tree.takeRequests()
        #expect(requests.isEmpty && !bench.tree.needsLink)
    }

    @Test func `an order is not complete because another replaced it before the backend knew`() {
        var bench = Bench()
        let first = bench.order(1, "a", Node(1))
        let second = bench.order(1, "a", Node(2))
        #expect(bench.replies.isEmpty)
        bench.talk()
        #expect(bench.replies == [.complete(first), .complete(second)])
    }

    @Test func `when the link ends, orders are over and applied, and unanswered ones wait`() {
        var bench = Bench()
        bench.order(1, "a", Node(1))
        bench.order(1, "a/b", Node(2))
        bench.talk()
        let late = bench.order(1, "c", Node(3))
        _ = bench.tree.takeRequests()
        let remains = bench.tree.linkClosed()
        #expect(Bench.made(remains.changes).description == #"{"a":{"b":2}}"#)
        #expect(bench.tree.orders.count == 1)
        bench.backend = []
        bench.talk()
        #expect(bench.replies.last == .complete(late))
        #expect(bench.backendWrites().description == #"{"c":3}"#)
    }

    @Test func `an order for the link outlives its program, until another for the link comes`() {
        var bench = Bench()
        bench.order(1, "host", Node("first"), .link)
        bench.talk()
        let farewells = bench.tree.sessionEnded(1)
        #expect(farewells.isEmpty)
        #expect(bench.backendWrites().description == #"{"host":"first"}"#)
        bench.order(2, "host", Node("second"), .link)
        bench.talk()
        let remains = bench.tree.linkClosed()
        #expect(remains.changes.count == 1)
        #expect(Bench.made(remains.changes).description == #"{"host":"second"}"#)
    }

    @Test func `an order for the program alone is written whether there is a link or not`() {
        var bench = Bench()
        let id = bench.order(1, "a", Node(1), .program)
        #expect(bench.replies == [.complete(id)] && !bench.tree.needsLink)
        _ = bench.tree.linkClosed()
        let farewells = bench.tree.sessionEnded(1)
        #expect(farewells.map(\.endsWithLink) == [false])
        #expect(bench.tree.orders.isEmpty)
    }

    @Test func `a program without a link that ends leaves nothing`() {
        var bench = Bench()
        bench.order(1, "a", Node(1))
        let farewells = bench.tree.sessionEnded(1)
        #expect(farewells.isEmpty)
        let requests = bench.tree.takeRequests()
        #expect(requests.isEmpty && !bench.tree.needsLink)
    }

    @Test func `orders that outlive their programs count for the user who made them`() {
        var bench = Bench()
        let large = Node(.string(String(repeating: "x", count: 8 << 20)))
        for session in UInt64(1)...9 {
            bench.order(session, RealtimePath([ChildKey(unchecked: "k\(session)")]), large, .link)
            _ = bench.tree.sessionEnded(session)
        }
        guard case .refuse(_, let error)? = bench.replies.last else {
            Issue.record("All orders are taken")
            return
        }
        #expect(error.code == .resourceExhausted)
    }

    @Test func `what two cancelled places cover is asked of the backend once`() {
        var bench = Bench()
        bench.order(1, "a", Node(1))
        bench.order(1, "a/b", Node(2))
        let part = RealtimeChange.Part(WritePath("b/c"), UnresolvedNode(Node(3)))
        bench.take(2, .write(.update("a", [part])))
        bench.talk()
        let refused = bench.tree.deny(
            [WritePath("a"), WritePath("a/b")], of: 1, because: Self.refusal)
        #expect(refused.isEmpty)
        let restored = bench.tree.takeRequests().map(\.action).filter { action in
            if case .onDisconnectMerge = action { true } else { false }
        }
        #expect(restored == [.onDisconnectMerge("a", [part])])
    }

    @Test func `a program may have so many orders and no more`() {
        var bench = Bench()
        for number in 0..<OnDisconnectTree.sessionCountMax {
            bench.order(1, RealtimePath([ChildKey(unchecked: "k\(number)")]), Node(1))
        }
        #expect(bench.replies.isEmpty)
        bench.order(1, "more", Node(1))
        guard case .refuse(_, let error)? = bench.replies.first else {
            Issue.record("The order is taken")
            return
        }
        #expect(error.code == .resourceExhausted)
    }

    @Test func `the orders of subordinate users count together, for their owner`() throws {
        var tree = OnDisconnectTree()
        tree.owners = SubordinateRanges("ada:100000:65536") { _ in 1_000 }
        var refusals: [HearthError] = []
        for number in 0...OnDisconnectTree.uidCountMax {
            let group = UInt32(number / OnDisconnectTree.sessionCountMax)
            let place = WritePath(RealtimePath([ChildKey(unchecked: "k\(number)")]))
            let replies = tree.take(
                RequestID(session: UInt64(group), number: UInt64(number)),
                .write(.set(place, UnresolvedNode(Node(1)))), .program,
                Writer(uid: 100_000 + group, gid: 100_000, pid: 1), of: .unauthenticated)
            for case .refuse(_, let error) in replies { refusals.append(error) }
        }
        #expect(refusals.map(\.code) == [.resourceExhausted])
        #expect(try #require(refusals.first).message.contains("uid 1000 "))
    }
}

extension RealtimeChange {
    /// The change without its parts at a place and below; `nil` if no part is left.
    fileprivate func without(_ place: WritePath) -> RealtimeChange? {
        switch self {
        case .set(let own, _): return place.covers(own) ? nil : self
        case .update(let path, let parts):
            let rest = parts.filter { !place.covers($0.place.below(path)) }
            return rest.isEmpty ? nil : .update(path, rest)
        }
    }
}

extension String {
    fileprivate var place: WritePath {
        guard let place = WritePath(self) else { preconditionFailure("\(self) is no place") }
        return place
    }
}
