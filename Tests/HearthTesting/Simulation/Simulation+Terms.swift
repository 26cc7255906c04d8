import HearthFirestore
import HearthModel

/// Writers with terms of their own, and queries that are pinned.
extension Simulation {
    /// How old the results of a refreshed pin may be at most here.
    private static let freshnessMax = 120

    /// Something of a writer who thinks again, or of a pin.
    mutating func pinOrTakeBack(_ index: Int) {
        switch Int.random(in: 0..<10, using: &random) {
        case ..<4: takeBack(index)
        case ..<7: pin(index)
        case ..<8: unpin(index)
        case ..<9: limitPins(index)
        default: waitForPin(index)
        }
    }

    // MARK: Terms

    /// The terms of a new write: most writers say nothing.
    mutating func terms(_ index: Int) -> SendingTerms {
        var terms = SendingTerms()
        if Int.random(in: 0..<3, using: &random) == 0 {
            let time = clock.now.advanced(by: clients[index].skew)
            let seconds = [0, 1, 5, 30, 300].randomElement(using: &random) ?? 0
            terms = SendingTerms(expiresAt: time.advanced(by: .seconds(seconds)))
        }
        terms.isOnlineOnly = Int.random(in: 0..<5, using: &random) == 0
        return terms
    }

    private mutating func takeBack(_ index: Int) {
        guard let number = ledger.numbers(of: index).suffix(4).randomElement(using: &random) else {
            return
        }
        let isOwn = Int.random(in: 0..<6, using: &random) > 0
        let dies = plan.restarts && Int.random(in: 0..<12, using: &random) == 0
        log("client \(index)'s write \(number) is wanted back, by its writer: \(isOwn)")
        if dies { log("client \(index) dies before it can say so") }
        do {
            try clients[index].takeBack(number, isOwn: isOwn, at: clock.now, dies: dies)
        } catch {
            preconditionFailure("A store did not open again: \(error)")
        }
    }

    // MARK: Pins

    private mutating func pin(_ index: Int) {
        let uids: [UInt32?] = [nil, 1, 2]
        let id = Pin.ID(
            uid: uids.randomElement(using: &random) ?? nil,
            name: ["x", "y"].randomElement(using: &random) ?? "x")
        let query = Scenery.query(isLimited: plan.limitsAll ? true : nil, using: &random)
        // The last heartbeat of a simulation comes a second after the pins were refreshed.
        let seconds = Int.random(in: 10...Self.freshnessMax, using: &random)
        let freshness = Bool.random(using: &random) ? Duration.seconds(seconds) : nil
        let age = freshness.map { "\($0)" } ?? "watched"
        log("client \(index) pins \(id): \(query.canonicalID), \(age)")
        clients[index].pins.pins.removeAll { $0.id == id }
        clients[index].pins.pins.append(Pin(id: id, query: query, freshness: freshness))
        clients[index].tellPins(at: clock.now)
    }

    private mutating func unpin(_ index: Int) {
        guard let pin = clients[index].pins.pins.randomElement(using: &random) else { return }
        log("client \(index) ends the pin \(pin.id)")
        clients[index].pins.pins.removeAll { $0.id == pin.id }
        clients[index].tellPins(at: clock.now)
    }

    /// Few pins may be watched at a time, so that they take turns; or all.
    private mutating func limitPins(_ index: Int) {
        let countMax = [1, 2, 100].randomElement(using: &random) ?? 100
        log("client \(index) watches at most \(countMax) pins at a time")
        clients[index].pins.watchedCountMax = countMax
        clients[index].tellPins(at: clock.now)
    }

    private mutating func waitForPin(_ index: Int) {
        guard let pin = clients[index].pins.pins.randomElement(using: &random) else { return }
        log("client \(index) waits for the pin \(pin.id)")
        clients[index].waitForPin(pin.id, session: 1, at: clock.now)
    }

    // MARK: The end

    /// Lets every pin be watched, or be refreshed once more.
    mutating func settlePins() {
        for client in clients {
            client.pins.watchedCountMax = 100
            client.tellPins(at: clock.now)
        }
        // Refused pins are tried again by then, and refreshed ones are too old.
        clock.advance(by: PinLimits.refusalPause + .seconds(Self.freshnessMax))
        for _ in 0..<200 {
            let due = clients.filter { client in
                client.timers.dueAt(.pins).map { $0 <= clock.now } ?? false
            }
            for client in due { client.fire(.pins, at: clock.now) }
            comeToRest()
            if due.isEmpty { return }
            clock.advance(by: PinLimits.pause)
        }
        clients[0].report("the pins do not come to rest")
    }

    /// Where the pins of a client are not what was promised: in step or fresh, with the backend's results
    /// in the cache, which no collection takes.
    func differences(ofPinsOf client: SimulatedClient, _ all: [Document]) -> [String] {
        guard plan.pins else { return [] }
        var result: [String] = []
        if !client.pinWaits.isEmpty { result.append("waits for pins did not end") }
        let reports = client.reportsOnPins(at: clock.now)
        if reports.count != client.pins.pins.count {
            result.append("\(reports.count) of \(client.pins.pins.count) pins are told")
        }
        client.take(.collectGarbage(cacheByteCountMax: 0), at: clock.now)
        for report in reports {
            let pin = report.pin
            let wanted: PinReport.State = pin.freshness == nil ? .inStep : .fresh
            if report.state != wanted {
                let why = report.error.map { "\($0)" } ?? ""
                result.append("the pin \(pin.id) is \(report.state): \(why)")
            }
            let held = client.cached(pin.query, at: clock.now)?.documents ?? []
            let expected = Scenery.results(of: pin.query, among: all)
            let isSame =
                held.count == expected.count
                && zip(held, expected).allSatisfy { $0.key == $1.key && $0.fields == $1.fields }
            if !isSame {
                result.append(
                    "the pin \(pin.id) of \(pin.query.canonicalID) keeps "
                        + "\(held.map(StoryText.document)), the backend has "
                        + "\(expected.map(StoryText.document))")
            }
        }
        return result
    }
}
