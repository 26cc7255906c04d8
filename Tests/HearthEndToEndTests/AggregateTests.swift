import Hearth
import HearthTestSupport
import Testing

/// Numbers over the results of a query: from the backend, and from the cache while it is away.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AggregateTests {
    private let sum = AggregateField.sum("lights")
    private let mean = AggregateField.average("lights")

    @Test func `the backend computes, and the cache does so alike`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        let rooms = client.collection("rooms")
        for (name, lights) in [("attic", 1), ("cellar", 2), ("hall", 6)] {
            try await rooms.document(name).setData(["lights": lights])
        }
        try await rooms.document("yard").setData(["open": true])
        let all = try await rooms.count.getAggregation(source: .server)
        #expect(all.count == 4)
        #expect(!all.metadata.isFromCache)
        _ = try await rooms.getDocuments()
        for source in [AggregateSource.server, .cache, .default] {
            let numbers = try await rooms.aggregate([.count(), sum, mean])
                .getAggregation(source: source)
            #expect(numbers.metadata.isFromCache == (source == .cache))
            #expect(numbers.get(sum) as? Int == 9)
            #expect(numbers.get(mean) as? Double == 3)
            #expect(numbers.count == 3)
        }
        let few = rooms.order(by: "lights").limit(to: 2).aggregate([sum])
        #expect(try await few.getAggregation(source: .server).get(sum) as? Int == 3)
        #expect(try await few.getAggregation(source: .cache).get(sum) as? Int == 3)
        let none = rooms.whereField("lights", isGreaterThan: 99).aggregate([mean])
        #expect(try await none.getAggregation().get(mean) is FirestoreNull)
    }

    @Test func `offline the server's numbers are unavailable, and the default falls back`()
        async throws
    {
        let world = try World()
        let client = try world.machine().client()
        let rooms = client.collection("rooms")
        try await rooms.document("hall").setData(["lights": 1.5])
        try await client.disableNetwork()
        try await rooms.document("attic").setData(["lights": 2], until: .accepted)
        let error = await #expect(throws: FirestoreError.self) {
            try await rooms.count.getAggregation()
        }
        #expect(error?.code == .unavailable)
        let numbers = try await rooms.aggregate([.count(), sum]).getAggregation(source: .default)
        #expect(numbers.metadata.isFromCache)
        #expect(numbers.metadata.hasPendingWrites)
        #expect(numbers.count == 2)
        #expect(numbers.get(sum) as? Double == 3.5)
    }

    @Test func `the command line counts, adds up and averages`() async throws {
        let world = try World()
        let machine = try world.machine()
        let rooms = machine.client().collection("rooms")
        for lights in 1...3 { try await rooms.document("r\(lights)").setData(["lights": lights]) }
        func hearth(_ arguments: String...) throws -> CommandRun {
            try CommandRun(world, machine, arguments)
        }
        #expect(try hearth("aggregate", "rooms").output == ["count 3"])
        let numbers = try hearth(
            "aggregate", "rooms", "--sum", "lights", "--average", "lights", "--where",
            "lights > 1", "--source", "server", "--json")
        #expect(
            numbers.output == [
                #"{"sums":{"lights":5},"averages":{"lights":2.5},"isFromCache":false,"#
                    + #""hasPendingWrites":false}"#
            ])
        #expect(try hearth("network", "off").status == 0)
        #expect(try hearth("aggregate", "rooms", "--source", "server").status == 10)
        #expect(try hearth("aggregate", "rooms").output == ["count 3 (from cache)"])
    }
}
