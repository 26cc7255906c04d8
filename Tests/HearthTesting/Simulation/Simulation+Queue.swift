import HearthEngine
import HearthFirestore
import HearthModel

/// What administrators do with the queues.
extension Simulation {
    /// Any order, of one client's queue or dead letters.
    mutating func steer(_ index: Int) {
        if Int.random(in: 0..<5, using: &random) == 0 {
            steerDeadLetters(index)
        } else {
            steerQueue(index)
        }
    }

    private mutating func steerQueue(_ index: Int) {
        let client = clients[index]
        // One that was sent is chosen too, and must be refused.
        guard let first = client.queue().randomElement(using: &random) else { return }
        let second = client.queue().randomElement(using: &random) ?? first
        let both = first == second ? [first] : [first, second]
        let ids = both.map(\.batch.id)
        switch Int.random(in: 0..<10, using: &random) {
        case ..<3: steer(index, .hold(ids), of: both)
        case ..<5: steer(index, .release(ids), of: both)
        case ..<6: steer(index, .cancel(ids), of: both)
        case ..<7: steer(index, .drop([first.batch.id]), of: [first])
        case ..<8: steer(index, .retry, of: [])
        default:
            guard let number = WriteLedger.number(of: first.batch.mutations) else { return }
            let mutations = ledger.marked(mutations(by: index), number)
            log("client \(index)'s write \(number) becomes \(StoryText.writes(mutations))")
            steer(index, .edit(first.batch.id, mutations), of: [first])
        }
    }

    private mutating func steerDeadLetters(_ index: Int) {
        guard let letter = clients[index].deadLetters().randomElement(using: &random) else {
            return
        }
        let order: QueueOrder<[Mutation]> =
            Int.random(in: 0..<3, using: &random) == 0
            ? .dropDeadLetters([letter.batch.batch.id])
            : .retryDeadLetters([letter.batch.batch.id], evenIfApplied: true)
        steer(index, order, of: [letter.batch])
    }

    private mutating func steer(
        _ index: Int, _ order: QueueOrder<[Mutation]>, of batches: [QueuedBatch]
    ) {
        let dies = plan.restarts && Int.random(in: 0..<12, using: &random) == 0
        log("client \(index)'s queue: \(order.word) \(batches.map(\.batch.id))")
        if dies { log("client \(index) dies before it can say so") }
        do {
            try clients[index].steer(order, of: batches, at: clock.now, dies: dies)
        } catch {
            preconditionFailure("A store did not open again: \(error)")
        }
    }

    /// Nothing is held any more.
    func releaseAll() {
        for client in clients {
            let held = client.queue().filter { $0.state == .held }
            if held.isEmpty { continue }
            client.take(
                .steerQueue(
                    RequestID(session: 8, number: client.nextNumber()),
                    .release(held.map(\.batch.id)), by: 0),
                at: clock.now)
        }
    }
}
