import Hearth
import HearthTestSupport
import Testing

/// Looks at a collection that are too long for a turn of the engine.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct LongLookTests {
    @Test func `a look at a large collection sees all that was accepted before`() async throws {
        let world = try World()
        let machine = try world.machine()
        let (client, other) = (machine.client(), machine.client())
        for start in stride(from: 0, to: 1_500, by: 500) {
            let batch = client.batch()
            for number in start..<start + 500 {
                batch.setData(["n": number], forDocument: client.document("rooms/r\(number)"))
            }
            try await batch.commit()
        }
        let query = client.collection("rooms").whereField("n", isGreaterThan: 1_496)
        let plan = try await query.explain()
        #expect(plan.plan == "full scan")
        #expect(plan.examinedCount >= 1_500)
        #expect(plan.matchedCount == 3)
        for number in 1_500..<1_510 {
            try await other.document("rooms/r\(number)").setData(["n": number], until: .accepted)
            #expect(try await query.getDocuments(source: .cache).count == number - 1_496)
        }
        #expect(try await query.count.getAggregation(source: .cache).count == 13)
        let figures = try CommandRun(world, machine, ["metrics"]).output
        #expect(figures.contains { $0.hasPrefix("hearth_turn_processor_seconds_bucket") })
    }
}
