import HearthBackend
import HearthFirestore
import HearthModel

/// What can happen.
extension Simulation {
    mutating func step() {
        clock.advance(by: .milliseconds(Int.random(in: 1...2_000, using: &random)))
        let index = Int.random(in: clients.indices, using: &random)
        let hasMore = plan.setsTerms || plan.pins
        let wish = (plan.steersQueues ? 215 : 200) + (hasMore ? 20 : 0)
        let chance = Int.random(in: 0..<wish + (plan.marksBatches ? 6 : 0), using: &random)
        switch chance {
        case wish...: lookOrSleep(index)
        case ..<18: listen(index)
        case ..<24: unlisten(index)
        case ..<28: read(index)
        case ..<52: write(index)
        case ..<56: writeAgain(index)
        case ..<58: waitForPendingWrites(index)
        case ..<74: commitElsewhere()
        case ..<150: carry(index, messageCountMax: 12)
        case ..<156: breakWatch(index)
        case ..<162: breakWrite(index)
        case ..<167: switchNetwork(index)
        case ..<171: if plan.restarts { restart(index) }
        case ..<174: collect(index)
        case ..<179: if plan.failsStores { switchStore(index) }
        case ..<183: if plan.changesUsers { changeUser(index) }
        case ..<185: disconnect(index)
        case ..<188: loadBundle(index)
        case ..<190: jumpClock(index)
        case ..<194: backend.heartbeat(at: clock.now)
        case ..<196: count(index)
        case ..<200: compareWithCache(index)
        case ..<215 where plan.steersQueues: steer(index)
        default: pinOrTakeBack(index)
        }
        fireDueTimers()
        landSometimes()
        pump()
    }

    // MARK: Programs

    private mutating func anySession() -> UInt64 { UInt64.random(in: 1...3, using: &random) }

    private mutating func query() -> Query {
        Scenery.query(isLimited: plan.limitsAll ? true : nil, using: &random)
    }

    private mutating func listen(_ index: Int) {
        let query = query()
        let options = ListenOptions(
            includeMetadataChanges: Int.random(in: 0..<3, using: &random) > 0,
            isCacheOnly: Int.random(in: 0..<8, using: &random) == 0)
        log("client \(index) listens to \(query.canonicalID) \(options)")
        let session = anySession()
        clients[index].listen(to: query, options, session: session, at: clock.now)
    }

    private mutating func unlisten(_ index: Int) {
        guard let id = clients[index].screens.keys.sorted().randomElement(using: &random) else {
            return
        }
        let query = clients[index].screens[id]?.query.canonicalID ?? ""
        log("client \(index) ends \(query)")
        clients[index].unlisten(id, at: clock.now)
    }

    private mutating func read(_ index: Int) {
        let source = [ReadSource.default, .server].randomElement(using: &random) ?? .default
        let query = query()
        log("client \(index) reads \(query.canonicalID) from \(source)")
        let session = anySession()
        clients[index].read(query, from: source, session: session, at: clock.now)
    }

    private mutating func write(_ index: Int) {
        var mutations = mutations(by: index)
        var conditions = WriteConditions.asSDK
        if plan.judgesWrites, let judged = judgedWrites(mutations, by: index) {
            (mutations, conditions) = judged
        }
        let terms = plan.setsTerms ? terms(index) : SendingTerms()
        let (number, whole) = ledger.add(mutations, by: index, conditions, terms)
        log("client \(index) writes \(number), \(conditions): \(StoryText.writes(whole))")
        if !terms.areNone { log("    \(terms)") }
        makeWrite(number, index)
    }

    /// The same writes by a program that has read the first document, and lets nobody come between;
    /// `nil` for one that does not care.
    private mutating func judgedWrites(
        _ mutations: [Mutation], by index: Int
    ) -> ([Mutation], WriteConditions)? {
        let conditions: [WriteConditions] = [.asSDK, .judged, .judged, .translated]
        guard let chosen = conditions.randomElement(using: &random), chosen != .asSDK else {
            return nil
        }
        var judged = mutations
        let isExact = Bool.random(using: &random)
        if let first = judged.first, let time = clients[index].lastChange(of: first.key) {
            let read = SnapshotVersion(isExact ? time : time.flooredToMicroseconds)
            judged[0] = Mutation(
                key: first.key, kind: first.kind, precondition: .updateTime(read),
                transforms: first.transforms)
        }
        return (judged, chosen)
    }

    /// A program that has not heard the answer sends the same write again.
    private mutating func writeAgain(_ index: Int) {
        guard let number = ledger.numbers(of: index).suffix(6).randomElement(using: &random) else {
            return
        }
        log("client \(index) writes \(number) again")
        makeWrite(number, index)
    }

    private mutating func makeWrite(_ number: Int, _ index: Int) {
        let dies = plan.restarts && Int.random(in: 0..<25, using: &random) == 0
        if dies { log("client \(index) dies before it can say so") }
        let session = anySession()
        do {
            try clients[index].write(number, session: session, at: clock.now, dies: dies)
        } catch {
            preconditionFailure("A store did not open again: \(error)")
        }
    }

    mutating func mutations(by writer: Int) -> [Mutation] {
        // Unless documents are shared, each writer has some to itself.
        let keys = Scenery.keys.enumerated().filter { index, _ in
            plan.sharesDocuments || index % (clients.count + 1) == writer
        }.map(\.element)
        let documents = backend.documents(of: StoryReader.database)
        return (0..<Int.random(in: 1...2, using: &random)).map { _ in
            Scenery.mutation(of: keys, using: &random) { documents.document($0).version }
        }
    }

    private mutating func waitForPendingWrites(_ index: Int) {
        log("client \(index) waits for its writes")
        let session = anySession()
        clients[index].waitForPendingWrites(session: session, at: clock.now)
    }

    private mutating func disconnect(_ index: Int) {
        let session = anySession()
        log("client \(index) loses session \(session)")
        clients[index].disconnect(session: session, at: clock.now)
    }

    /// A bundle of all that a query has now.
    private mutating func loadBundle(_ index: Int) {
        bundleCount += 1
        let query = query()
        let readAt = backend.clock
        guard query.documentKey == nil, readAt > .zero else { return }
        let table = backend.documents(of: StoryReader.database)
        let all = Scenery.keys.map(table.document)
        let results = Scenery.results(of: query, among: all.filter(\.isFound))
        let name = "query-\(bundleCount)"
        var entries = results.map { document in
            var read = document
            read.readAt = readAt
            return Bundle.Entry(document: read, queries: [name])
        }
        // A document that is gone may be told of too.
        if let gone = all.first(where: \.isMissing) {
            entries.append(.init(document: .missing(gone.key, at: readAt), queries: []))
        }
        let record = BundleRecord(
            id: "bundle-\(bundleCount % 3)", createdAt: readAt, version: 1)
        log("client \(index) loads a bundle of \(query.canonicalID)")
        let session = anySession()
        clients[index].load(
            Bundle(
                record: record, entries: entries,
                namedQueries: [NamedQuery(name: name, query: query, readAt: readAt)], byteCount: 0),
            session: session, at: clock.now)
    }

    // MARK: Operators

    private mutating func switchNetwork(_ index: Int) {
        let isEnabled = Bool.random(using: &random)
        log("client \(index) switches its network: \(isEnabled)")
        clients[index].take(.setNetwork(isEnabled: isEnabled), at: clock.now)
    }

    private mutating func changeUser(_ index: Int) {
        let user = Scenery.users.randomElement(using: &random) ?? .unauthenticated
        log("client \(index) signs \(user) in")
        clients[index].take(.changeUser(user), at: clock.now)
    }

    private mutating func collect(_ index: Int) {
        log("client \(index) collects")
        clients[index].take(.collectGarbage(cacheByteCountMax: 0), at: clock.now)
    }

    // MARK: What fails

    private mutating func restart(_ index: Int) {
        log("client \(index) dies and starts again")
        do {
            try clients[index].restart(at: clock.now)
        } catch {
            preconditionFailure("A store did not open again: \(error)")
        }
    }

    private mutating func switchStore(_ index: Int) {
        let store = clients[index].store
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            store.failsNextCommit = true
            log("client \(index) cannot commit once")
            return
        case 1:
            let call = Int.random(in: 1...60, using: &random)
            store.failingCall = call
            log("client \(index)'s store fails at call \(call)")
            return
        default: break
        }
        // A store that does not even start is tried again by the host.
        let all = StoreOperation.allCases.filter { $0 != .start }
        store.failing =
            store.failing.isEmpty ? Set([all.randomElement(using: &random)].compactMap(\.self)) : []
        log("client \(index) cannot store: \(store.failing.map(\.rawValue))")
    }

    private mutating func jumpClock(_ index: Int) {
        let skew = Duration.seconds(3_600) * Int.random(in: -30...30, using: &random)
        log("client \(index)'s clock is wrong by \(skew)")
        clients[index].skew = skew
        clock.advance(by: .seconds(Int.random(in: 0...200, using: &random)))
    }

    /// Without a limit, a view holds what the cache holds.
    private mutating func compareWithCache(_ index: Int) {
        let client = clients[index]
        guard !client.store.mayFail else { return }
        client.answerSurveys(at: clock.now)
        let ids = client.screens.keys.sorted()
        for screen in ids.compactMap({ client.screens[$0] })
        where screen.query.limit == nil && screen.snapshot != nil {
            // A bundle's result is a read's at once, and a listener's when the backend has spoken.
            if client.bundledQueries.contains(screen.query), screen.snapshot?.isFromCache == true {
                continue
            }
            guard let cached = client.cached(screen.query, at: clock.now) else { continue }
            // A document in a lookup may have left one of the two and not the other. So may a document
            // of a bundle on its way, and a document of which the backend has yet to speak: a view waits
            // for the word, and the cache leaves out what is older than the last snapshot in which
            // nothing was in doubt.
            let doubtful = Set(client.engine.activeLimboTargets.keys)
                .union(client.engine.enqueuedLimboKeys)
                .union(client.engine.undecidedKeys(of: screen.query))
                .union(client.engine.untoldKeys)
            let shown = Set(screen.documents.keys).subtracting(doubtful)
            let held = Set(cached.keys).subtracting(doubtful)
            guard shown != held else { continue }
            client.report(
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
