import HearthEngine
import HearthModel
import HearthWire

extension ClientMachine {
    /// The daemon sent a message.
    mutating func received(_ event: Event, number: UInt64) -> [Action] {
        switch event {
        case .welcome(let welcome):
            return welcomed(welcome)
        case .failed(let error) where number == 0 || state == .greeting:
            return refused(error)
        case .sharedReads(let byteCount):
            return number == sharingNumber ? [.share(byteCount: byteCount)] : []
        case .done, .failed, .answer, .snapshot, .listenFailed, .writeAccepted, .writeCommitted,
            .writeRejected, .inSync, .report, .queueSteered, .reloaded, .bundleProgress,
            .namedQuery, .documents, .committed, .commitFailed, .numbers, .explanation, .indexes,
            .signIn, .bundle, .viewNews, .node, .transaction, .keptPlaces, .pins, .backupPart:
            guard let id = numbers[number] else {
                // The answer to an order given again, or to a request that ended in the meantime.
                let error: HearthError? = if case .failed(let error) = event { error } else { nil }
                standingOrders.answered(number, error)
                return []
            }
            return received(event, for: id) + sendBacklog()
        }
    }

    /// The daemon sent a message that cannot be read.
    mutating func receivedUnreadable(_ error: WireError, number: UInt64) -> [Action] {
        if case .unknownKind = error { return [] }  // A newer daemon; kinds may be skipped.
        guard let id = numbers[number] else { return number == 0 ? [.disconnect] : [] }
        remove(id)
        return [
            .fail(id, FirestoreError(.dataLoss, "The daemon's answer cannot be read: \(error)"))
        ] + sendBacklog()
    }

    mutating func welcomed(_ welcome: Welcome) -> [Action] {
        guard state == .greeting else { return [.disconnect] }
        if let engine, engine != welcome.database {
            let error = FirestoreError(
                .failedPrecondition,
                "The daemon's database was \(engine) and is now \(welcome.database). "
                    + "Start the program again.")
            return failAll(error) + [.disconnect]
        }
        if let error = objection(to: welcome) { return failAll(error) + [.disconnect] }
        state = .open
        engine = welcome.database
        storeGeneration = welcome.storeGeneration
        codec = WireCodec(welcome.database)
        owedCountMax = max(1, welcome.limits.requestCountMax)
        backlog = entries.keys.sorted()[...]
        return networkRefusal() + repeatedOrders() + sendBacklog() + askForSharedReads()
            + statusListeners.sorted().map { .resume($0) }
    }

    /// Why we cannot go on with this daemon.
    private func objection(to welcome: Welcome) -> FirestoreError? {
        switch (configuration.database, welcome.database) {
        case (.firestore, .realtime), (.realtime, .firestore):
            return FirestoreError(
                .failedPrecondition,
                "The program wants a database of another kind, and the daemon gives it "
                    + "\(welcome.database). Update the daemon.")
        case (.firestore(.named(let name)), .firestore(let database))
        where !utf8Equals(name, database.database):
            return FirestoreError(
                .failedPrecondition,
                "The program wants the database \"\(name)\", and the daemon gives it "
                    + "\(welcome.database). Name the project in the settings too.")
        case (.firestore, .firestore), (.realtime, .realtime): break
        }
        return configuration.demands.contradiction(by: welcome.setup)
    }

    /// Tells a new session that the program wants no network, as the program told an earlier
    /// session. Nobody waits for the answer.
    private mutating func networkRefusal() -> [Action] {
        guard refusesNetwork, let engine else { return [] }
        let refusal: Request =
            switch engine {
            case .firestore: .firestore(.voteNetwork(isEnabled: false))
            case .realtime: .realtime(.withhold(isWithheld: true))
            }
        guard let frame = try? codec.frame(of: refusal, number: nextNumber()) else { return [] }
        return [.send(frame)]
    }

    /// Tells a new session what the daemon is to do when the program is gone. `standingOrders`
    /// alone waits for the answers.
    private mutating func repeatedOrders() -> [Action] {
        standingOrders.sessionBegan()
        return giveOrders()
    }

    /// Gives the orders that the session does not have, as far as it is known.
    mutating func giveOrders() -> [Action] {
        standingOrders.takeRequests(from: lastNumber + 1).flatMap { request -> [Action] in
            guard let frames = try? codec.frames(of: .realtime(request), number: nextNumber())
            else { return [] }
            return frames.map { .send($0) }
        }
    }

    /// The daemon ends the session, or does not begin one.
    mutating func refused(_ error: HearthError) -> [Action] {
        guard error.code.isPermanent else { return [.disconnect] }  // The client tries again.
        return failAll(FirestoreError(error)) + [.disconnect]
    }

    mutating func received(_ event: Event, for id: OperationID) -> [Action] {
        guard let operation = entries[id]?.operation else { return [] }
        switch operation {
        case .read(let request, let begun):
            return received(event, for: id, request, begun)
        case .listen(let query, let options, var view):
            return received(event, for: id, query, options, &view)
        case .sync:
            if case .inSync = event { return [.inSync(id)] }
            return ended(id, by: event)
        case .status:
            if case .report(let report) = event { return [.report(id, report)] }
            return ended(id, by: event)
        case .write(let write):
            return received(event, for: id, write)
        case .observe(let target, _):
            return received(event, for: id, target)
        case .transaction(let transaction):
            return received(event, for: id, transaction)
        }
    }

    private mutating func received(
        _ event: Event, for id: OperationID, _ request: Request, _ begun: Event.Snapshot?
    ) -> [Action] {
        guard case .answer(let part) = event else {
            if case .bundleProgress(let progress) = event, !progress.isFinished {
                return [.progress(id, progress)]
            }
            if case .bundle(let part) = event { return received(part, for: id) }
            if let (list, hasMore) = event.list(behind: entries[id]?.list), hasMore {
                entries[id]?.list = list
                return []
            }
            if case .failed = event { return ended(id, by: event) }
            if case .node(let part) = event { return received(part, for: id) }
            if case .realtime(.onDisconnect(let order, let scope)) = request {
                standingOrders.note(order, scope)
            }
            let list = event.list(behind: entries[id]?.list)?.whole
            remove(id)
            return [.answer(id, list ?? event)]
        }
        var snapshot = part
        if var begun {
            guard begun.id == part.id else { return ended(id, by: event) }
            begun.append(part)
            snapshot = begun
        }
        // A read gets the whole state, because a read has no view that a difference could start
        // from.
        guard snapshot.base == nil else { return ended(id, by: event) }
        if snapshot.hasMore {
            entries[id]?.operation = .read(request, begun: snapshot)
            return []
        }
        remove(id)
        return [.answer(id, .answer(snapshot))]
    }

    private mutating func received(
        _ part: FirestoreRequest.BundlePart, for id: OperationID
    ) -> [Action] {
        entries[id]?.bundle += part.data
        guard !part.hasMore, let bytes = entries[id]?.bundle else { return [] }
        remove(id)
        return [.answer(id, .bundle(FirestoreRequest.BundlePart(data: bytes, hasMore: false)))]
    }

    private mutating func received(
        _ event: Event, for id: OperationID, _ query: HearthModel.Query,
        _ options: ListenOptions, _ view: inout ListenerView
    ) -> [Action] {
        guard case .snapshot(let snapshot) = event else { return ended(id, by: event) }
        let outcome = view.received(snapshot)
        if case .lost = outcome { view.sessionEnded() }
        entries[id]?.operation = .listen(query, options, view)
        switch outcome {
        case .show(let update): return [.show(id, update)]
        case .nothing: return []
        case .lost: return listenAgain(id)
        }
    }

    private mutating func listenAgain(_ id: OperationID) -> [Action] {
        guard let number = entries[id]?.number,
            let frame = try? codec.frame(of: .session(.unlisten), number: number)
        else { return [] }
        numbers[number] = nil
        return [.send(frame)] + send(id)
    }

    private mutating func received(
        _ event: Event, for id: OperationID, _ write: PendingWrite
    ) -> [Action] {
        switch event {
        case .writeAccepted(let accepted):
            if entries[id]?.isOwed == true {
                entries[id]?.isOwed = false
                owedCount -= 1
            }
            if entries[id]?.isChange == true {
                entries[id]?.isChange = false
                changeCount -= 1
            }
            lastBatch = max(lastBatch, accepted.batch)
            if write.accepted != nil { return [] }  // Repeated after a lost connection.
            var write = write
            write.accepted = accepted.batch
            entries[id]?.operation = .write(write)
            if write.isAwaited { return [.accept(id, accepted.batch)] }
            remove(id)
            return [.accept(id, accepted.batch), .forget(id)]
        case .writeCommitted(let committed):
            remove(id)
            let accept: [Action] = write.accepted == nil ? [.accept(id, committed.batch)] : []
            return accept + [.commit(id, committed)]
        case .writeRejected(let rejected):
            remove(id)
            // A write that the daemon does not know was accepted by nobody, as far as is known.
            let isAccepted = write.accepted == nil && !rejected.isOutcomeUnknown
            let accept: [Action] = isAccepted ? [.accept(id, rejected.batch)] : []
            return accept + [
                .fail(
                    id,
                    FirestoreError(
                        rejected.error,
                        mayHaveBeenApplied: rejected.mayHaveBeenApplied
                            || rejected.isOutcomeUnknown))
            ]
        case .welcome, .done, .failed, .answer, .snapshot, .listenFailed, .inSync, .report,
            .queueSteered, .reloaded, .bundleProgress, .namedQuery, .documents, .committed,
            .commitFailed, .numbers, .explanation, .indexes, .signIn, .bundle, .viewNews, .node,
            .transaction, .keptPlaces, .pins, .backupPart, .sharedReads:
            return ended(id, by: event)
        }
    }

    /// An operation ends by an error, or by an event that does not answer the operation.
    mutating func ended(_ id: OperationID, by event: Event) -> [Action] {
        remove(id)
        switch event {
        case .failed(let error), .listenFailed(let error):
            return [.fail(id, FirestoreError(error))]
        case .welcome, .done, .answer, .snapshot, .writeAccepted, .writeCommitted, .writeRejected,
            .inSync, .report, .queueSteered, .reloaded, .bundleProgress, .namedQuery, .documents,
            .committed, .commitFailed, .numbers, .explanation, .indexes, .signIn, .bundle,
            .viewNews, .node, .transaction, .keptPlaces, .pins, .backupPart, .sharedReads:
            return [
                .fail(
                    id,
                    FirestoreError(
                        .internal, "The daemon answered with an event of kind \(event.kind)."))
            ]
        }
    }
}

extension Event {
    /// A list that comes in parts, with this part behind the parts before it; `nil` for anything else.
    fileprivate func list(behind earlier: Event?) -> (whole: Event, hasMore: Bool)? {
        switch (self, earlier) {
        case (.pins(let rows, let hasMore), .pins(let before, _)?):
            (.pins(before + rows), hasMore)
        case (.pins(let rows, let hasMore), _): (.pins(rows), hasMore)
        case (.keptPlaces(let rows, let hasMore), .keptPlaces(let before, _)?):
            (.keptPlaces(before + rows), hasMore)
        case (.keptPlaces(let rows, let hasMore), _): (.keptPlaces(rows), hasMore)
        default: nil
        }
    }
}
