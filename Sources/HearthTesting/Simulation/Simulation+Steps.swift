import HearthBackend
import HearthFirestore
import HearthModel

/// What can happen.
extension Simulation {
    mutating func step() {
        clock.advance(by: .milliseconds(Int.random(in: 1...2_000, using: &random)))
        let index = Int.random(in: clients.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<10: listen(index)
        case ..<14: unlisten(index)
        case ..<28: write(index)
        case ..<38: commitElsewhere()
        case ..<80: carry(index, messageCountMax: 12)
        case ..<83: breakWatch(index)
        case ..<86: breakWrite(index)
        case ..<89: switchNetwork(index)
        case ..<91: if plan.restarts { restart(index) }
        case ..<93: collect(index)
        case ..<96: if plan.failsStores { switchStore(index) }
        case ..<98: backend.heartbeat(at: clock.now)
        default: compareWithCache(index)
        }
        fireDueTimers()
        pump()
    }

    private mutating func listen(_ index: Int) {
        let query = Scenery.query(using: &random)
        let options = ListenOptions(
            includeMetadataChanges: Bool.random(using: &random),
            isCacheOnly: Int.random(in: 0..<8, using: &random) == 0)
        log("client \(index) listens to \(query.canonicalID) \(options)")
        clients[index].listen(to: query, options, at: clock.now)
    }

    private mutating func unlisten(_ index: Int) {
        guard let id = clients[index].screens.keys.sorted().randomElement(using: &random) else {
            return
        }
        let query = clients[index].screens[id]?.query.canonicalID ?? ""
        log("client \(index) ends \(query)")
        clients[index].unlisten(id, at: clock.now)
    }

    private mutating func write(_ index: Int) {
        let count = Int.random(in: 1...2, using: &random)
        var mutations: [Mutation] = []
        for _ in 0..<count { mutations.append(mutation(by: index)) }
        log("client \(index) writes \(StoryText.writes(mutations))")
        clients[index].write(mutations, at: clock.now)
    }

    /// Unless documents are shared, each writer has some to itself.
    private mutating func mutation(by writer: Int) -> Mutation {
        let keys = Scenery.keys.enumerated().filter { index, _ in
            plan.sharesDocuments || index % (clients.count + 1) == writer
        }
        return Scenery.mutation(of: keys.map(\.element), using: &random)
    }

    private mutating func commitElsewhere() {
        let mutation = mutation(by: clients.count)
        log("somebody commits \(StoryText.writes([mutation]))")
        // A precondition that fails is an answer too.
        _ = try? backend.commit([mutation], in: StoryReader.database, at: clock.now)
    }

    private mutating func breakWatch(_ index: Int) {
        let code = [StatusCode.unavailable, .internalError, .resourceExhausted, .unauthenticated]
            .randomElement(using: &random)
        let error = HearthError(code: code ?? .unavailable, message: "The stream broke.")
        if let number = clients[index].link.watch?.number { close(number, of: index) }
        guard let event = clients[index].link.breakWatch(error) else { return }
        log("client \(index) loses its watch stream: \(error.code.name)")
        clients[index].take(.upstream(event), at: clock.now)
    }

    private mutating func breakWrite(_ index: Int) {
        let error = HearthError(code: .unavailable, message: "The stream broke.")
        guard let event = clients[index].link.breakWrite(error) else { return }
        log("client \(index) loses its write stream")
        clients[index].take(.upstream(event), at: clock.now)
    }

    private mutating func switchNetwork(_ index: Int) {
        let isEnabled = Bool.random(using: &random)
        log("client \(index) switches its network: \(isEnabled)")
        clients[index].take(.setNetwork(isEnabled: isEnabled), at: clock.now)
    }

    private mutating func restart(_ index: Int) {
        log("client \(index) dies and starts again")
        do {
            try clients[index].restart(at: clock.now)
        } catch {
            preconditionFailure("A store did not open again: \(error)")
        }
    }

    private mutating func collect(_ index: Int) {
        log("client \(index) collects")
        clients[index].take(.collectGarbage(cacheByteCountMax: 0), at: clock.now)
    }

    private mutating func switchStore(_ index: Int) {
        // "Execute query" and the like belong to a turn of their own, whose failure is told.
        let all = StoreOperation.allCases.filter { $0 != .start }
        let failing = clients[index].store.failing.isEmpty
        clients[index].store.failing =
            failing ? Set([all.randomElement(using: &random)].compactMap(\.self)) : []
        let steps = clients[index].store.failing.map(\.rawValue)
        log("client \(index) cannot store: \(steps)")
    }

    /// Without a limit, a view holds what the cache holds.
    private mutating func compareWithCache(_ index: Int) {
        guard clients[index].store.failing.isEmpty else { return }
        let screens = clients[index].screens.values.filter {
            $0.query.limit == nil && $0.snapshot != nil
        }
        for screen in screens {
            guard let cached = clients[index].cached(screen.query, at: clock.now) else { continue }
            // What is being looked up may have left one of the two and not the other.
            let engine = clients[index].engine
            let limbo = Set(engine.activeLimboTargets.keys).union(engine.enqueuedLimboKeys)
            let shown = Set(screen.documents.keys).subtracting(limbo)
            let held = Set(cached.keys).subtracting(limbo)
            guard shown != held else { continue }
            clients[index].report(
                "\(screen.query.canonicalID) shows \(shown.sorted()), the cache has \(held.sorted())"
            )
        }
    }

    private mutating func fireDueTimers() {
        for client in clients {
            while let timer = client.timers.pending.first,
                let dueAt = client.timers.dueAt(timer), dueAt <= clock.now
            {
                client.fire(timer, at: clock.now)
            }
        }
    }
}
