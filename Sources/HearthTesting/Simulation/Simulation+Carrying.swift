import HearthBackend
import HearthFirestore
import HearthModel

/// What the network carries, and what the backend makes of it.
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
            pump()
        }
    }

    /// Closes streams that the engines closed, and puts on the wire what the backend says.
    mutating func pump() {
        for index in clients.indices {
            for number in clients[index].closedWatches { close(number, of: index) }
            clients[index].closedWatches = []
            for snapshot in clients[index].shown {
                log("client \(index) shows \(StoryText.snapshot(snapshot))")
            }
            clients[index].shown = []
        }
        for action in backend.takeActions() {
            guard case .deliver(let id, let changes) = action, let stream = streams[id],
                clients[stream.client].link.watch?.number == stream.number
            else { continue }
            clients[stream.client].link.sayOnWatch(changes)
        }
    }

    mutating func close(_ number: StreamNumber, of index: Int) {
        for (id, stream) in streams where stream.client == index && stream.number == number {
            backend.close(id)
            streams[id] = nil
        }
    }

    private mutating func takeWatchCommand(_ index: Int) {
        guard let command = clients[index].link.takeWatchCommand() else { return }
        do {
            switch command {
            case .listen(let number, let request):
                let id = stream(number, of: index)
                log(
                    "the backend hears \(request.wireID): \(request.target.canonicalID) from "
                        + "\(request.resumePoint == .start ? "the start" : "a token")")
                try backend.watch(watchRequest(request), on: id, at: clock.now)
            case .unlisten(let number, let wire):
                backend.unwatch(wire, on: stream(number, of: index))
            case .openWatch, .closeWatch, .openWrite, .handshake, .write, .closeWrite, .call:
                preconditionFailure("\(command) is not said on an open watch stream")
            }
        } catch {
            clients[index].report("the backend ends the watch stream: \(error)")
        }
    }

    private mutating func stream(_ number: StreamNumber, of index: Int) -> StreamID {
        if let known = streams.first(where: { $0.value == (index, number) })?.key { return known }
        lastStream += 1
        let id = StreamID(lastStream)
        streams[id] = (index, number)
        backend.open(id, in: StoryReader.database)
        return id
    }

    private func watchRequest(_ request: ListenRequest) -> WatchRequest {
        let subject: WatchRequest.Subject =
            request.target.documentKey.map { .documents([$0]) }
            ?? .query(request.target.structuredQuery)
        var result = WatchRequest(targetID: request.wireID, subject: subject)
        result.resumePoint = request.resumePoint
        result.expectedCount = request.expectedCount
        return result
    }

    private mutating func takeWriteCommand(_ index: Int) {
        guard let command = clients[index].link.takeWriteCommand() else { return }
        switch command {
        case .handshake(let number):
            clients[index].link.sayOnWrite(.writeHandshaken(number, [1]))
        case .write(let number, let mutations, _):
            clients[index].link.sayOnWrite(answer(to: mutations, on: number))
        case .openWatch, .listen, .unlisten, .closeWatch, .openWrite, .closeWrite, .call:
            preconditionFailure("\(command) is not said on an open write stream")
        }
    }

    private mutating func answer(
        to mutations: [Mutation], on number: StreamNumber
    ) -> UpstreamEvent {
        do throws(HearthError) {
            let reply = try backend.commit(mutations, in: StoryReader.database, at: clock.now)
            guard case .done(let outcome) = reply else {
                preconditionFailure("Nobody holds a lock here")
            }
            let results = outcome.results.map { result in
                // A missing update time means the commit's.
                Mutation.Result(
                    version: result.version == .zero ? outcome.version : result.version,
                    transformResults: result.transformResults)
            }
            log("the backend commits \(StoryText.writes(mutations)) at \(outcome.version)")
            return .writeAnswered(
                number,
                WriteAnswer(token: [1], committedAt: outcome.version, results: results))
        } catch {
            log("the backend refuses \(StoryText.writes(mutations)): \(error.code.name)")
            return .writeClosed(number, error)
        }
    }

    private mutating func deliverWatch(_ index: Int) {
        guard let event = clients[index].link.takeWatchEvent() else { return }
        log("client \(index) hears \(event)")
        clients[index].take(.upstream(event), at: clock.now)
    }

    private mutating func deliverWrite(_ index: Int) {
        guard let event = clients[index].link.takeWriteEvent() else { return }
        clients[index].take(.upstream(event), at: clock.now)
    }

    // MARK: The end

    /// Mends everything, and lets all messages arrive.
    mutating func settle() {
        for client in clients {
            client.store.failing = []
            client.take(.setNetwork(isEnabled: true), at: clock.now)
        }
        log("everything is mended")
        var isToldAll = false
        for _ in 0..<2_000 {
            pump()
            for index in clients.indices {
                takeWatchCommand(index)
                takeWriteCommand(index)
                pump()
                deliverWatch(index)
                deliverWrite(index)
            }
            pump()
            guard clients.allSatisfy(\.link.isIdle) else { continue }
            // Whoever waits to try again does so now.
            let waiting = clients.filter { client in
                client.timers.contains(.watchBackoff) || client.timers.contains(.writeBackoff)
                    || client.timers.contains(.storeRetry)
            }
            if waiting.isEmpty {
                if isToldAll { return }
                // The backend tells everyone that nothing more is to be told.
                isToldAll = true
                clock.advance(by: .seconds(1))
                backend.heartbeat(at: clock.now)
                continue
            }
            clock.advance(by: .seconds(100))
            for client in waiting {
                for timer in [TimerID.storeRetry, .watchBackoff, .writeBackoff]
                where client.timers.contains(timer) {
                    client.fire(timer, at: clock.now)
                }
            }
        }
        clients[0].report("the clients do not come to rest")
    }

    /// Where clients and backend disagree.
    func differences() -> [String] {
        let documents = backend.documents(of: StoryReader.database)
        return clients.enumerated().flatMap { index, client in
            differences(of: client) { documents.document($0, at: backend.clock) }.map {
                "client \(index): \($0)"
            }
        }
    }

    private func differences(
        of client: SimulatedClient, _ truth: (DocumentKey) -> Document
    ) -> [String] {
        var result: [String] = []
        if client.engine.outstandingWriteCount > 0 { result.append("writes are on their way") }
        if !client.openWrites.isEmpty { result.append("writes were never answered") }
        let limbo = client.engine.activeLimboTargets
        if !limbo.isEmpty { result.append("\(limbo.keys.sorted()) are in limbo") }
        let all = Scenery.keys.map(truth).filter(\.isFound)
        for screen in client.screens.values where !screen.options.isCacheOnly {
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
        }
        return result
    }
}
