import HearthBackend
import HearthEngine
import HearthFirestore
import HearthModel

/// The messages that the network carries, and the backend's answers.
extension Simulation {
    /// Lets some messages of one client arrive, at either end.
    mutating func carry(_ index: Int, messageCountMax: Int) {
        for _ in 0..<Int.random(in: 1...messageCountMax, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: takeWatchCommand(index)
            case 1: takeWriteCommand(index)
            case 2: deliverWatch(index)
            default: deliverWrite(index)
            }
            let callCount = clients[index].link.calls.count
            if callCount > 0, Bool.random(using: &random) {
                let isOrdered = !plan.marksBatches || callCount == 1
                answerCall(
                    index, isOrdered ? 0 : Int.random(in: 0..<callCount, using: &random))
            }
            answerSurvey(index)
            landSometimes()
            pump()
        }
    }

    /// Lets a reader of one client come back, perhaps.
    private mutating func answerSurvey(_ index: Int) {
        let client = clients[index]
        guard !client.surveys.isEmpty, Bool.random(using: &random) else { return }
        let place = Int.random(in: client.surveys.indices, using: &random)
        let isSpoilt = Int.random(in: 0..<8, using: &random) == 0
        let isSound = Bool.random(using: &random)
        let fate: SimulatedClient.SurveyFate =
            isSpoilt ? (isSound ? .tooLarge : .failed) : (isSound ? .early : .late)
        let number = client.surveys[place].order.id.rawValue
        log("client \(index)'s survey \(number) is back, \(fate)")
        client.answerSurvey(place, fate, at: clock.now)
    }

    /// Closes streams that the engines closed, and puts on the wire what the backend says.
    mutating func pump() {
        for client in clients {
            for number in client.closedWatches { close(number, of: client.index) }
            client.closedWatches = []
            gatherLost(client.index)
            for line in client.journal { log("client \(client.index) \(line)") }
            client.journal = []
        }
        for action in backend.takeActions() {
            guard case .deliver(let id, let changes) = action, let stream = streams[id],
                clients[stream.client].link.watch?.number == stream.number
            else { continue }
            clients[stream.client].link.sayOnWatch(changes.map { disturbed($0) })
        }
    }

    private mutating func close(_ number: StreamNumber, of index: Int) {
        for (id, stream) in streams where stream.client == index && stream.number == number {
            backend.close(id)
            streams[id] = nil
        }
    }

    /// A filter may be missing, or too full to tell anything.
    private mutating func disturbed(_ change: WatchChange) -> WatchChange {
        guard case .existenceFilter(let filter) = change else { return change }
        var bloom = filter.unchangedNames
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bloom = nil
        case 1: bloom = BloomFilter(bitmap: [0xff, 0xff], padding: 0, hashCount: 1)
        default: break
        }
        return .existenceFilter(
            ExistenceFilter(target: filter.target, count: filter.count, unchangedNames: bloom))
    }

    // MARK: The watch stream

    mutating func takeWatchCommand(_ index: Int) {
        guard let command = clients[index].link.takeWatchCommand() else { return }
        do {
            switch command {
            case .listen(let number, let request):
                let id = stream(number, of: index)
                if refuses(request, on: id) { return }
                streams[id]?.targets[request.wireID] = request.target
                let point = forgetting(request.resumePoint)
                log(
                    "client \(index)'s backend hears \(request.wireID): "
                        + "\(request.target.canonicalID) \(StoryText.point(point))")
                try backend.watch(watchRequest(request, point), on: id, at: clock.now)
            case .unlisten(let number, let wire):
                let id = stream(number, of: index)
                streams[id]?.targets[wire] = nil
                backend.unwatch(wire, on: id)
            case .openWatch, .closeWatch, .openWrite, .handshake, .write, .closeWrite, .call,
                .abandon:
                preconditionFailure("\(command) is not said on an open watch stream")
            }
        } catch {
            clients[index].report("the backend ends the watch stream: \(error)")
        }
    }

    private mutating func stream(_ number: StreamNumber, of index: Int) -> StreamID {
        let known = streams.first { $0.value.client == index && $0.value.number == number }
        if let known { return known.key }
        lastStream += 1
        let id = StreamID(lastStream)
        streams[id] = SimulatedStream(client: index, number: number)
        backend.open(id, in: StoryReader.database)
        return id
    }

    private func watchRequest(_ request: ListenRequest, _ point: ResumePoint) -> WatchRequest {
        let subject: WatchRequest.Subject =
            request.target.documentKey.map { .documents([$0]) }
            ?? .query(request.target.structuredQuery)
        var result = WatchRequest(targetID: request.wireID, subject: subject)
        result.resumePoint = point
        result.expectedCount = point == .start ? nil : request.expectedCount
        return result
    }

    /// The backend may have forgotten what a token means.
    private mutating func forgetting(_ point: ResumePoint) -> ResumePoint {
        guard case .token = point, Int.random(in: 0..<10, using: &random) == 0,
            let unknown = ResumeToken([0])
        else { return point }
        return .token(unknown)
    }

    /// Lookups are never refused here: who may read a collection may read its documents.
    private mutating func refuses(_ request: ListenRequest, on id: StreamID) -> Bool {
        guard plan.refuses, !isSettling, request.purpose != .limboResolution,
            Int.random(in: 0..<25, using: &random) == 0, let stream = streams[id]
        else { return false }
        log("client \(stream.client) may not watch \(request.target.canonicalID)")
        let wires = [request.wireID]
        clients[stream.client].link.sayOnWatch([
            .target(.init(kind: .added, targets: wires)),
            .target(.init(kind: .removed(Self.denied), targets: wires)),
        ])
        return true
    }

    /// The backend tells how many documents a target has.
    mutating func count(_ index: Int) {
        let known = streams.sorted { $0.key < $1.key }.first { $0.value.client == index }
        guard let stream = known?.value, clients[index].link.watch?.number == stream.number,
            let wire = stream.targets.keys.sorted().randomElement(using: &random),
            let target = stream.targets[wire]
        else { return }
        let table = backend.documents(of: StoryReader.database)
        let all = Scenery.keys.map(table.document).filter(\.isFound)
        let count = Scenery.results(of: target.query(), among: all).count
        log("client \(index) is told that \(wire) has \(count)")
        clients[index].link.sayOnWatch([
            .existenceFilter(.init(target: wire, count: count, unchangedNames: nil))
        ])
    }

    mutating func breakWatch(_ index: Int) {
        let code = [StatusCode.unavailable, .internalError, .resourceExhausted, .unauthenticated]
            .randomElement(using: &random)
        let error = HearthError(code: code ?? .unavailable, message: "The stream broke.")
        if let number = clients[index].link.watch?.number { close(number, of: index) }
        guard let event = clients[index].link.breakWatch(error) else { return }
        log("client \(index) loses its watch stream: \(error.code.name)")
        hear(event, index)
    }

    mutating func deliverWatch(_ index: Int) {
        guard let event = clients[index].link.takeWatchEvent() else { return }
        log("client \(index) hears \(event)")
        hear(event, index)
    }

    // MARK: The write stream

    mutating func takeWriteCommand(_ index: Int) {
        guard let command = clients[index].link.takeWriteCommand() else { return }
        switch command {
        case .handshake(let number):
            clients[index].link.sayOnWrite(.writeHandshaken(number, [1]))
        case .write(let number, let batch, let mutations, _):
            guard let user = clients[index].link.write?.user else { return }
            let copy = CopyLedger.Copy(client: index, user: user, batch: batch)
            do throws(HearthError) {
                let answer = try take(copy, mutations)
                clients[index].link.sayOnWrite(.writeAnswered(number, answer))
            } catch {
                clients[index].link.sayOnWrite(.writeClosed(number, error))
            }
        case .openWatch, .listen, .unlisten, .closeWatch, .openWrite, .closeWrite, .call, .abandon:
            preconditionFailure("\(command) is not said on an open write stream")
        }
    }

    private static let denied = HearthError(
        code: .permissionDenied, message: "Somebody is not allowed to.")

    /// The backend takes a copy of a batch.
    ///
    /// - Throws: The backend's refusal, which ends the stream that carried the copy.
    mutating func take(
        _ copy: CopyLedger.Copy, _ mutations: [Mutation]
    ) throws(HearthError) -> WriteAnswer {
        guard let number = WriteLedger.number(of: mutations) else {
            preconditionFailure("Every write is numbered")
        }
        if mutations.contains(where: \.namesPromise) {
            let text = StoryText.writes(mutations)
            clients[copy.client].report("a promised time was sent: \(text)")
        }
        if plan.refuses, !isSettling, Int.random(in: 0..<20, using: &random) == 0 {
            log("the backend denies write \(number)")
            throw Self.denied
        }
        let outcome: CommitOutcome
        do throws(HearthError) {
            outcome = try commit(mutations)
        } catch {
            log("the backend refuses write \(number): \(error.code.name)")
            throw error
        }
        if ledger.copies?.isApplied(copy.batch, of: copy.client) == false {
            replay.commit(mutations, at: outcome.version)
        }
        if let fault = ledger.committed(number, copy, at: outcome.version) {
            clients[copy.client].report(fault)
        }
        let results = outcome.results.map { result in
            // A missing update time means the commit's.
            Mutation.Result(
                version: result.version == .zero ? outcome.version : result.version,
                transformResults: result.transformResults)
        }
        log("the backend commits write \(number) at \(outcome.version)")
        return WriteAnswer(
            token: Array("\(number)".utf8), committedAt: outcome.version, results: results)
    }

    mutating func commit(_ mutations: [Mutation]) throws(HearthError) -> CommitOutcome {
        let reply = try backend.commit(mutations, in: StoryReader.database, at: clock.now)
        guard case .done(let outcome) = reply else {
            preconditionFailure("Nobody holds a lock here")
        }
        history.note(backend.documents(of: StoryReader.database), at: outcome.version)
        return outcome
    }

    mutating func commitElsewhere() {
        let mutations = mutations(by: clients.count)
        log("somebody commits \(StoryText.writes(mutations))")
        // A precondition that fails is an answer too.
        guard let outcome = try? commit(mutations) else { return }
        if plan.marksBatches { replay.commit(mutations, at: outcome.version) }
    }

    mutating func breakWrite(_ index: Int) {
        let error = HearthError(code: .unavailable, message: "The stream broke.")
        guard let event = clients[index].link.breakWrite(error) else { return }
        log("client \(index) loses its write stream")
        hear(event, index)
    }

    mutating func deliverWrite(_ index: Int) {
        guard let event = clients[index].link.takeWriteEvent() else { return }
        log("client \(index) hears \(event)")
        hear(event, index)
    }

    /// An engine takes what the network brings, or dies of it: its store has it then, and nobody
    /// else.
    mutating func hear(_ event: UpstreamEvent, _ index: Int) {
        guard plan.restarts, !isSettling, Int.random(in: 0..<150, using: &random) == 0 else {
            clients[index].take(.upstream(event), at: clock.now)
            return
        }
        log("client \(index) dies of it")
        do {
            try clients[index].takeAndDie(.upstream(event), at: clock.now)
        } catch {
            preconditionFailure("A store did not open again: \(error)")
        }
    }
}

extension Mutation {
    /// Whether the precondition names a time that only this machine knows.
    fileprivate var namesPromise: Bool {
        if case .updateTime(let version) = precondition { return version.timestamp.isPromise }
        return false
    }
}
