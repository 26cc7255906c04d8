import HearthModel
import Testing

@testable import HearthRealtime

/// What is known of writes whose answers were lost.
struct FenceTests {
    private static let place: RealtimePath = "fences/d1"
    private let denial = HearthError(code: .permissionDenied, message: "no")

    /// A fence with a connection that has read the marks.
    private func open(_ node: Node = .empty) -> Fence {
        var fence = Fence(at: "fences", daemon: "d1")
        _ = fence.linkOpened(as: "c2")
        _ = fence.succeeded(.reading, node, hasDoubt: false)
        return fence
    }

    private func node(_ json: String) throws -> Node { try Node(json: json) }

    private func set(_ path: RealtimePath) -> RealtimeChange {
        .set(WritePath(path), UnresolvedNode(.increment(.integer(1))))
    }

    private func places(_ change: RealtimeChange) -> [String] {
        change.parts.map { "\($0.place)=\($0.node.isEmpty ? "" : "x")" }
    }

    @Test func `a connection orders the note of its end before it says that it lasts`() {
        var fence = Fence(at: "fences", daemon: "d1")
        let requests = fence.linkOpened(as: "c1")
        #expect(requests.map(\.call) == [.order, .announcement, .reading])
        #expect(
            requests.map(\.action) == [
                .onDisconnectPut(WritePath("fences/d1/ended/c1"), UnresolvedNode(Node(true))),
                .put(WritePath("fences/d1/ended/c1"), UnresolvedNode(Node(false)), hash: ""),
                .get(Self.place, .all),
            ])
        #expect(!fence.admitsWrites)
        let step = fence.succeeded(.reading, .empty, hasDoubt: true)
        #expect(step == .opened(applied: [], lost: [], requests: []) && fence.isKept)
    }

    @Test func `marks count once every earlier connection has ended`() throws {
        var fence = Fence(at: "fences", daemon: "d1")
        _ = fence.linkOpened(as: "c2")
        let early = try node(#"{"applied":{"4":true},"ended":{"c1":false,"c2":false}}"#)
        let step = fence.succeeded(.reading, early, hasDoubt: true)
        #expect(step == .wait(.milliseconds(250), isLong: false))
        #expect(!fence.admitsWrites)
        let requests = fence.waited()
        #expect(requests.map(\.call) == [.reading])
        let later = fence.succeeded(.reading, early, hasDoubt: true)
        #expect(later == .wait(.milliseconds(500), isLong: false))
        _ = fence.waited()
        let late = try node(
            #"{"applied":{"4":true,"6":true},"ended":{"c1":true,"c2":false}}"#)
        let last = fence.succeeded(.reading, late, hasDoubt: true)
        let tidying = RealtimeAction.put(
            WritePath("fences/d1/ended/c1"), UnresolvedNode(.empty),
            hash: NodeHash.hash(of: Node(true)))
        #expect(
            last
                == .opened(
                    applied: [BatchID(4), BatchID(6)], lost: [],
                    requests: [.init(call: .tidying, action: tidying)]))
    }

    /// Reads the marks so often that the wait ends, and returns the last step.
    private func wearOut(_ fence: inout Fence, _ node: Node) -> Fence.Step {
        for _ in 1..<Fence.readingCountMax {
            guard case .wait = fence.succeeded(.reading, node, hasDoubt: true) else {
                Issue.record("The wait ended early")
                return .none
            }
            _ = fence.waited()
        }
        return fence.succeeded(.reading, node, hasDoubt: true)
    }

    @Test func `an end that the backend never notes is not waited for without end`() throws {
        var fence = Fence(at: "fences", daemon: "d1")
        _ = fence.linkOpened(as: "c2")
        _ = fence.succeeded(.order, .empty, hasDoubt: true)
        _ = fence.succeeded(.announcement, .empty, hasDoubt: true)
        let lost = try node(#"{"applied":{"4":true},"ended":{"c1":false,"c2":false}}"#)
        let tidying = RealtimeAction.put(
            WritePath("fences/d1/ended/c1"), UnresolvedNode(.empty),
            hash: NodeHash.hash(of: Node(false)))
        let step = wearOut(&fence, lost)
        #expect(
            step
                == .opened(
                    applied: [BatchID(4)], lost: ["c1"],
                    requests: [.init(call: .tidying, action: tidying)]))
        #expect(fence.isKept)
    }

    @Test func `a backend that takes no orders for the end is waited for`() throws {
        var fence = Fence(at: "fences", daemon: "d1")
        _ = fence.linkOpened(as: "c2")
        _ = fence.succeeded(.announcement, .empty, hasDoubt: true)
        let step = wearOut(&fence, try node(#"{"ended":{"c1":false,"c2":false}}"#))
        #expect(step == .wait(.seconds(5), isLong: true))
    }

    @Test func `without a write in doubt nobody waits for an earlier connection`() throws {
        var fence = Fence(at: "fences", daemon: "d1")
        _ = fence.linkOpened(as: "c2")
        let step = fence.succeeded(
            .reading, try node(#"{"ended":{"c1":false}}"#), hasDoubt: false)
        #expect(step == .opened(applied: [], lost: [], requests: []))
    }

    @Test func `a write leaves a mark and takes the marks of answered ones away`() throws {
        var fence = open(try node(#"{"applied":{"3":true}}"#))
        let first = fence.marked(set("a"), BatchID(7))
        #expect(
            places(first) == ["/a=x", "/fences/d1/applied/7=x", "/fences/d1/applied/3="])
        let change = fence.marked(set("b"), BatchID(8))
        #expect(places(change) == ["/b=x", "/fences/d1/applied/8=x"])
        fence.settled(BatchID(8), isCommitted: true)
        // The refused write took no mark away.
        fence.settled(BatchID(7), isCommitted: false)
        let third = places(fence.marked(set("c"), BatchID(9)))
        #expect(Set(third.dropFirst(2)) == ["/fences/d1/applied/3=", "/fences/d1/applied/8="])
    }

    @Test func `a write into the fence or over it is refused, and has no mark if it was accepted`()
    {
        var fence = open()
        let change = fence.marked(set(.root), BatchID(1))
        #expect(change == set(.root))
        let second = fence.marked(set("fences"), BatchID(1))
        #expect(second == set("fences"))
        #expect(Fence.refusal(of: set("fences/d1/applied"), at: "fences") != nil)
        #expect(Fence.refusal(of: set("fences"), at: "fences") != nil)
        #expect(Fence.refusal(of: set(.root), at: "fences") != nil)
        #expect(Fence.refusal(of: set("a"), at: "a/fences") != nil)
        let child = RealtimeChange.update(
            .root, [.init(WritePath("a"), UnresolvedNode(Node(true)))])
        #expect(Fence.refusal(of: child, at: "a/fences") != nil)
        #expect(Fence.refusal(of: child, at: "fences") == nil)
        #expect(Fence.refusal(of: set("a"), at: "fences") == nil)
    }

    @Test func `a denied fence lets writes go without marks`() {
        var fence = Fence(at: "fences", daemon: "d1")
        _ = fence.linkOpened(as: "c1")
        let step = fence.failed(.announcement, denial)
        #expect(step == .denied(denial))
        let later = fence.failed(.reading, denial)
        #expect(later == .none)
        #expect(fence.admitsWrites && !fence.isKept)
        let change = fence.marked(set("a"), BatchID(1))
        #expect(change == set("a"))
        fence.linkClosed()
        #expect(!fence.admitsWrites)
    }

    @Test func `a reading that fails for now is tried again`() {
        var fence = Fence(at: "fences", daemon: "d1")
        _ = fence.linkOpened(as: "c1")
        let failure = HearthError(code: .unavailable, message: "later")
        let step = fence.failed(.reading, failure)
        #expect(step == .wait(.milliseconds(250), isLong: false))
        fence.linkClosed()
        let requests = fence.waited()
        #expect(requests.isEmpty)
    }
}
