import HearthBackend
import HearthEngine
import HearthFirestore
import HearthModel

/// The batches of a write stream that is gone for its daemon, in their order. The backend may still
/// take them.
struct LateStream: Sendable {
    /// Whose.
    let client: Int
    /// As whom the daemon spoke.
    let user: UserID
    let lostAt: Timestamp
    var writes: [(batch: BatchID, mutations: [Mutation])]

    init(_ stream: SimulatedLink.Stream, of client: Int, at now: Timestamp) {
        self.client = client
        user = stream.user
        lostAt = now
        writes = stream.up.compactMap {
            if case .write(_, let batch, let mutations, _) = $0 { (batch, mutations) } else { nil }
        }
    }
}

/// Batches with marks, and copies that land late.
extension Simulation {
    /// How long a batch travels at most. Daemons keep marks for longer, though clocks jump.
    private static let travelTimeMax = Duration.seconds(600)
    /// After how long daemons have deleted marks, whatever their clocks say.
    private static let night = Duration.seconds(3 * 3_600)

    // MARK: Late copies

    /// Takes up what daemons have lost on its way to the backend.
    mutating func gatherLost(_ index: Int) {
        for stream in clients[index].link.takeLost() where plan.marksBatches {
            let late = LateStream(stream, of: index, at: clock.now)
            if late.writes.isEmpty { continue }
            log("client \(index) has lost \(late.writes.map(\.batch)) on their way")
            lateStreams.append(late)
        }
    }

    /// Lets the backend take something from a lost stream, perhaps.
    mutating func landSometimes() {
        forgetOldStreams()
        guard !lateStreams.isEmpty else { return }
        let place = Int.random(in: lateStreams.indices, using: &random)
        switch Int.random(in: 0..<24, using: &random) {
        case 0: lateStreams.remove(at: place)
        case ..<4: land(place)
        default: break
        }
    }

    /// Lets the backend take all that it will ever take from lost streams.
    mutating func landAll() {
        forgetOldStreams()
        while !lateStreams.isEmpty {
            land(Int.random(in: lateStreams.indices, using: &random))
        }
    }

    private mutating func forgetOldStreams() {
        let now = clock.now
        lateStreams.removeAll { $0.lostAt.advanced(by: Self.travelTimeMax) < now }
    }

    /// The backend takes the next batch of a lost stream, or refuses it and all behind it.
    private mutating func land(_ place: Int) {
        let stream = lateStreams[place]
        let (batch, mutations) = lateStreams[place].writes.removeFirst()
        log("batch \(batch) of client \(stream.client) lands late")
        let copy = CopyLedger.Copy(
            client: stream.client, user: stream.user, batch: batch, isLate: true)
        do throws(HearthError) {
            _ = try take(copy, mutations)
            if lateStreams[place].writes.isEmpty { lateStreams.remove(at: place) }
        } catch {
            lateStreams.remove(at: place)
        }
    }

    // MARK: Other things that happen

    /// A program looks for marks, or hours pass, after which nothing lands any more.
    mutating func lookOrSleep(_ index: Int) {
        guard Int.random(in: 0..<3, using: &random) == 0 else {
            let session = UInt64.random(in: 1...3, using: &random)
            log("client \(index)'s session \(session) looks at marks")
            return clients[index].lookAtMarks(session: session, at: clock.now)
        }
        log("a night passes")
        clock.advance(by: Self.night)
    }

    // MARK: Calls

    /// Answers a call beside the streams, or loses the call, before or after the backend takes it.
    ///
    /// - Parameter place: Which call, in the order in which the daemon made the calls.
    mutating func answerCall(_ index: Int, _ place: Int = 0) {
        guard let (id, call) = clients[index].link.takeCall(place) else { return }
        guard !isSettling, Int.random(in: 0..<4, using: &random) == 0 else {
            let answer = answer(to: call)
            log("client \(index) asks \(call), and hears \(answer)")
            return hear(.called(id, answer), index)
        }
        if case .commit = call, Bool.random(using: &random) { _ = answer(to: call) }
        log("client \(index)'s call is lost: \(call)")
        let lost = HearthError(code: .unavailable, message: "The call broke.")
        hear(.called(id, .failed(lost)), index)
    }

    private mutating func answer(to call: BackendCall) -> BackendAnswer {
        do throws(HearthError) {
            switch call {
            case .read(let keys):
                let table = backend.documents(of: StoryReader.database)
                return .read(
                    keys.map { key in
                        let document = table.document(key)
                        return document.isFound ? document : .missing(key, at: history.newest)
                    })
            case .commit(let mutations):
                let outcome = try commit(mutations)
                return .committed(at: outcome.version, outcome.results)
            case .run(let query): return .read(try results(of: query))
            case .aggregate: preconditionFailure("Nobody has the backend compute anything here")
            }
        } catch {
            return .failed(error)
        }
    }

    private func results(of query: StructuredQuery) throws(HearthError) -> [Document] {
        let plan = try QueryPlan(query, in: StoryReader.database)
        var copy = backend  // Nobody hears that somebody has read.
        return try copy.read(
            .query(plan), in: StoryReader.database, .latest, at: clock.now
        ).run(plan).documents
    }

    // MARK: The end

    /// Lets every user sign in for as long as marks stay.
    mutating func settleMarks() {
        for user in Scenery.users {
            for client in clients where client.engine.user != user {
                client.take(.changeUser(user), at: clock.now)
            }
            comeToRest()
            clock.advance(by: Self.night)
            for client in clients where client.timers.contains(.markers) {
                client.fire(.markers, at: clock.now)
            }
            comeToRest()
        }
    }

    /// What is not as if every batch had come once, and marks that are still there.
    func differencesOfCopies() -> [String] {
        guard plan.marksBatches else { return [] }
        let query = StructuredQuery(
            parent: Scenery.marks.parent, source: .init(collectionID: Scenery.marks.lastSegment))
        let marks = (try? results(of: query)) ?? []
        return marks.map { "\($0.key) is still there" }
            + replay.differences(
                from: backend.documents(of: StoryReader.database),
                in: Scenery.keys + ledger.keys)
    }
}
