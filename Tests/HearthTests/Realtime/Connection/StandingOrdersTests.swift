import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct StandingOrdersTests {
    private func set(_ path: RealtimePath, _ value: LeafValue) -> OnDisconnectOrder {
        .write(.set(WritePath(path), UnresolvedNode(Node(value))))
    }

    private func update(_ path: RealtimePath, _ keys: [RealtimePath]) -> OnDisconnectOrder {
        .write(.update(path, keys.map { .init(WritePath($0), UnresolvedNode(Node(1))) }))
    }

    private func request(_ order: OnDisconnectOrder) -> InstanceRequest {
        .onDisconnect(order, .programOrLink)
    }

    @Test func `orders are given again in the order in which they came`() {
        var orders = StandingOrders()
        #expect(orders.isEmpty)
        orders.note(set("b", 1), .programOrLink)
        orders.note(set("a", 2), .program)
        #expect(
            orders.requests == [
                request(set("b", 1)), .onDisconnect(set("a", 2), .program),
            ])
    }

    @Test func `an order takes the place of earlier ones there and below`() {
        var orders = StandingOrders()
        orders.note(set("a/b", 1), .programOrLink)
        orders.note(update("a", ["c", "d/e"]), .programOrLink)
        orders.note(set("a/d", 2), .programOrLink)
        #expect(
            orders.requests == [
                request(set("a/b", 1)), request(update("a", ["c"])), request(set("a/d", 2)),
            ])
        orders.note(set("a", 3), .programOrLink)
        #expect(orders.requests == [request(set("a", 3))])
    }

    @Test func `an order leaves those of other scopes alone, and a cancel takes back them all`() {
        var orders = StandingOrders()
        orders.note(set("a", 1), .link)
        orders.note(set("a", 2), .programOrLink)
        orders.note(set("a", 3), .programOrLink)
        #expect(
            orders.requests == [.onDisconnect(set("a", 1), .link), request(set("a", 3))])
        orders.note(.cancel("a"), .programOrLink)
        #expect(orders.isEmpty)
    }

    @Test func `what is taken back is not given again`() {
        var orders = StandingOrders()
        orders.note(set("a/b", 1), .programOrLink)
        orders.note(update(.root, ["a/c", "b"]), .programOrLink)
        orders.note(.cancel("a"), .programOrLink)
        #expect(orders.requests == [request(update(.root, ["b"]))])
        orders.note(.cancel(.root), .programOrLink)
        #expect(orders.isEmpty)
    }
}
