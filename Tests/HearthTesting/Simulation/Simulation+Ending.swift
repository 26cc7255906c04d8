import HearthBackend
import HearthEngine
import HearthFirestore
import HearthModel

/// The end: everything is mended, and what is left must be right.
extension Simulation {
    /// Mends everything, and lets all messages arrive, with each user signed in once.
    mutating func settle() {
        log("everything is mended")
        isSettling = true
        for client in clients {
            client.store.failing = []
            client.store.failsNextCommit = false
            client.store.failingCall = nil
            client.take(.setNetwork(isEnabled: true), at: clock.now)
        }
        releaseAll()
        for user in Scenery.users {
            comeToRest()
            landAll()
            for client in clients where client.engine.user != user {
                client.take(.changeUser(user), at: clock.now)
            }
        }
        comeToRest()
        if plan.marksBatches { settleMarks() }
        if plan.pins { settlePins() }
        // The backend tells everyone that nothing more is to be told.
        clock.advance(by: .seconds(1))
        backend.heartbeat(at: clock.now)
        comeToRest()
    }

    mutating func comeToRest() {
        for _ in 0..<2_000 {
            for client in clients where client.timers.contains(.bundles) {
                client.fire(.bundles, at: clock.now)
            }
            pump()
            for index in clients.indices {
                takeWatchCommand(index)
                takeWriteCommand(index)
                answerCall(index)
                clients[index].answerSurveys(at: clock.now)
                pump()
                deliverWatch(index)
                deliverWrite(index)
            }
            pump()
            guard clients.allSatisfy({ $0.link.isIdle && $0.surveys.isEmpty }) else { continue }
            // Whoever waits to try again does so now.
            let timers: [TimerID] = [
                .bundles, .filling, .settling, .storeRetry, .watchBackoff, .writeBackoff,
            ]
            let waiting = clients.filter { client in timers.contains { client.timers.contains($0) }
            }
            if waiting.isEmpty { return }
            clock.advance(by: .seconds(100))
            for client in waiting {
                for timer in timers where client.timers.contains(timer) {
                    client.fire(timer, at: clock.now)
                }
            }
        }
        clients[0].report("the clients do not come to rest")
    }

    /// Where clients and backend disagree.
    func differences() -> [String] {
        let table = backend.documents(of: StoryReader.database)
        let all = Scenery.keys.map(table.document).filter(\.isFound)
        let faults = clients.flatMap { client in
            (differences(of: client, all) + differences(ofPinsOf: client, all))
                .map { "client \(client.index): \($0)" }
        }
        return faults + differencesOfCopies()
            + ledger.faults(
                appliedCount: { key in
                    guard case .integer(let count) = table.document(key).fields["count"] else {
                        return 0
                    }
                    return Int(count)
                },
                isDeadLetter: { client, batch in
                    let letter = try? clients[client].store.transaction {
                        transaction throws(StoreError) in try transaction.deadLetter(batch)
                    }
                    return letter != nil
                })
    }

    private func differences(of client: SimulatedClient, _ all: [Document]) -> [String] {
        var result: [String] = []
        if client.engine.outstandingWriteCount > 0 { result.append("writes are on their way") }
        for user in Scenery.users {
            let last = try? client.store.transaction { transaction throws(StoreError) in
                try transaction.highestBatchID(of: user)
            }
            if let last = last ?? nil { result.append("batch \(last) of \(user) is in the queue") }
        }
        if !client.openWrites.isEmpty {
            result.append("writes \(client.openWrites.values.sorted()) were never settled")
        }
        if !client.reads.isEmpty { result.append("\(client.reads) were never answered") }
        if !client.waits.isEmpty { result.append("\(client.waits) did not end") }
        let limbo = client.engine.activeLimboTargets
        if !limbo.isEmpty { result.append("\(limbo.keys.sorted()) are in limbo") }
        for screen in client.screens.values where !screen.options.isCacheOnly {
            result += differences(of: screen, all)
        }
        return result
    }

    private func differences(
        of screen: SimulatedClient.Screen, _ all: [Document]
    ) -> [String] {
        var result: [String] = []
        let expected = Scenery.results(of: screen.query, among: all)
        let shown = screen.snapshot?.documents.documents ?? []
        let name = screen.query.canonicalID
        if screen.snapshot == nil { result.append("\(name) shows nothing yet") }
        // Who did not ask for metadata is not told when only the flags change.
        if screen.options.includeMetadataChanges, let snapshot = screen.snapshot {
            if snapshot.isFromCache { result.append("\(name) is from the cache") }
            if snapshot.hasPendingWrites { result.append("\(name) is pending") }
        }
        let isSame =
            shown.count == expected.count
            && zip(shown, expected).allSatisfy { $0.key == $1.key && $0.fields == $1.fields }
        if !isSame {
            result.append(
                "\(name) shows \(shown.map(StoryText.document)), the backend has "
                    + "\(expected.map(StoryText.document))")
        }
        return result
    }
}
