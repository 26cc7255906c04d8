import HearthEngine
package import HearthModel

/// What is asked of the backend for the sake of markers.
enum MarkerCall: Hashable, Sendable {
    /// Makes and deletes a marker, to see whether the rules allow it.
    case trialWrite(DocumentKey)
    /// Reads it, for the same.
    case trialRead(DocumentKey)
    /// Reads the documents of a failed batch, and the batch's marker if there is one.
    case question(BatchID)
    /// Deletes markers.
    case deletion
    /// Lists markers of former runs.
    case leftovers
}

/// Batches that carry markers, and batches that hold only once.
///
/// The engine decides here which batches may be sent, what the backend's answers mean, and
/// when a marker is deleted.
extension FirestoreEngine {
    /// How many markers are deleted at a time.
    private static let deletionCountMax = 500
    /// How long after a failure the engine asks the backend again; the queue waits meanwhile.
    static let retryDelay = Duration.seconds(2)
    /// How often the engine looks for markers that may be deleted.
    private static let tendingInterval = Duration.seconds(60)

    private var policy: LostAnswerPolicy { gate.limits.lostAnswers }

    /// Reads which markers the user's queue has.
    mutating func loadMarkers(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        let permission = markers.permission
        if local.globals.daemon.isEmpty {
            var chance = random  // A copy, so that nothing else depends on it.
            local.globals.daemon = String(chance.next(), radix: 16)
        }
        let eras = try store.markerEras(of: local.user)
        markers = WriteMarkers(daemon: local.globals.daemon, user: local.user, eras: eras)
        if case .denied = permission { turn.effects.actions.append(.note(.markersAllowed)) }
        if policy.markers == nil, eras.allSatisfy({ $0.collection == nil }) { return }
        markers.leftoversSince = uptime
        turn.effects.actions.append(.schedule(.markers, after: Self.tendingInterval))
    }

    /// Takes other limits of the queue, and perhaps another place for markers.
    mutating func setQueueLimits(_ limits: QueueLimits, _ effects: inout Effects) {
        let old = policy.markers
        gate.limits = limits
        guard policy.markers != old else { return }
        if case .denied = markers.permission { effects.actions.append(.note(.markersAllowed)) }
        markers.permission = .unknown
        askForPermission(&effects)
        // What waited for leave to make markers needs no leave any more.
        if policy.markers == nil { effects.actions.append(.schedule(.filling, after: .zero)) }
    }

    /// Asks whether markers may be made, if that is not known.
    mutating func askForPermission(_ effects: inout Effects) {
        guard canUseNetwork, markers.permission == .unknown, let collection = policy.markers,
            let trial = markers.trial(in: collection)
        else { return }
        markers.permission = .asking
        let writes = [
            Mutation(key: trial, kind: .set(.empty)), Mutation(key: trial, kind: .delete),
        ]
        ask(.commit(writes), .trialWrite(trial), &effects)
    }

    /// Asks the backend something for the sake of markers.
    mutating func ask(_ call: BackendCall, _ purpose: MarkerCall, _ effects: inout Effects) {
        lastMarkerCall += 1
        let id = RequestID(session: .max, number: lastMarkerCall)
        begin(call, .markers(purpose), for: id, &effects)
    }

    // MARK: Sending

    /// Whether the next batch may be sent now. One that must not be sent again is put aside.
    mutating func admitsNext(_ turn: inout Turn) throws(StoreError) -> Bool {
        while let next = pipeline.next {
            if markers.question?.batch == next.batch.id { return false }
            switch try condition(of: next, &turn) {
            case .waits: return false
            case .fails(let error):
                // Whoever waits for the batch waits for those in front too.
                if pipeline.sentCount > 0 { return false }
                if next.isInDoubt, markers.marker(of: next) != nil {
                    ask(about: next, error, &turn.effects)
                    return false
                }
                guard mayGiveUp(&turn) else { return false }
                try giveUp(next, error, &turn)
                continue
            case .holds: break
            }
            // If the last batch were sent again, it would undo the batches applied behind it.
            if let last = pipeline.lastSent, markers.lacksMarker(last) { return false }
            if !next.isInDoubt { return try admitsUnsent(next, &turn) }
            guard !next.batch.isIdempotent, markers.marker(of: next) == nil,
                policy.inDoubt == .deadLetter
            else { return true }
            _ = pipeline.removeFirst()
            try putAside(next, &turn)
            try topUpPipeline(&turn)
        }
        return false
    }

    private mutating func admitsUnsent(
        _ queued: QueuedBatch, _ turn: inout Turn
    ) throws(StoreError) -> Bool {
        guard let collection = policy.markers else {
            try beginEra(at: queued.batch.id, in: nil, &turn)
            return true
        }
        switch markers.permission {
        case .allowed: try beginEra(at: queued.batch.id, in: collection, &turn)
        case .denied: try beginEra(at: queued.batch.id, in: nil, &turn)
        case .unknown:
            askForPermission(&turn.effects)
            return false
        case .asking: return false
        }
        return true
    }

    private mutating func beginEra(
        at batch: BatchID, in collection: ResourcePath?, _ turn: inout Turn
    ) throws(StoreError) {
        let first = pipeline.batches.first?.batch.id ?? batch
        guard markers.begin(at: batch, in: collection, first: first) else { return }
        try turn.store.setMarkerEras(markers.eras, of: local.user)
    }

    /// The writes to send for a batch: the marker's write, if any, and the batch's own writes.
    ///
    /// Promised times in preconditions are replaced by the versions that they stand for.
    func writes(for queued: QueuedBatch, _ turn: inout Turn) throws(StoreError) -> [Mutation] {
        let own = try translated(queued.batch.mutations, &turn)
        return (markers.write(for: queued).map { [$0] } ?? []) + own
    }

    /// An answer without the marker's result.
    func answer(_ answer: WriteAnswer, to queued: QueuedBatch) -> WriteAnswer {
        guard markers.marker(of: queued) != nil,
            answer.results.count == queued.batch.mutations.count + 1
        else { return answer }
        return WriteAnswer(
            token: answer.token, committedAt: answer.committedAt,
            results: Array(answer.results.dropFirst()))
    }

    /// Puts a batch among the dead letters: nobody will know whether the backend applied the batch.
    private mutating func putAside(
        _ queued: QueuedBatch, _ turn: inout Turn
    ) throws(StoreError) {
        let error = HearthError(
            code: .unknown,
            message: "The answer to batch \(queued.batch.id) was lost, and sent again it could be "
                + "applied twice. So it is in doubt whether it was applied, and queue.inDoubt put "
                + "it among the dead letters.")
        try bury(
            queued, error, mayHaveBeenApplied: true, .batchInDoubt(queued.batch.id, error), &turn)
    }

    // MARK: Answers

    /// The backend has answered what was asked for the sake of markers.
    mutating func markersAnswered(
        _ call: MarkerCall, _ answer: BackendAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        switch (call, answer) {
        case (.trialWrite, _), (.trialRead, _):
            if trialAnswered(call, answer, &turn.effects) { try fillPipeline(&turn) }
        case (.question(let batch), _): try questionAnswered(about: batch, answer, &turn)
        case (.leftovers, .read(let documents)): try deleteLeftovers(documents, &turn)
        case (.deletion, .failed), (.leftovers, .failed): tidyingFailed(&turn.effects)
        case (.deletion, _), (.leftovers, _): break
        }
    }

    /// The backend has answered the question whether markers may be made.
    ///
    /// - Returns: Whether the engine now knows if markers may be made, so that batches can be sent.
    mutating func trialAnswered(
        _ call: MarkerCall, _ answer: BackendAnswer, _ effects: inout Effects
    ) -> Bool {
        switch (call, answer) {
        case (.trialWrite(let key), .committed):
            ask(.read([key]), .trialRead(key), &effects)
            return false
        case (.trialRead(let key), .read):
            guard isAskedFor(key) else { return false }
            markers.permission = .allowed
            return true
        case (.trialWrite(let key), .failed(let error)), (.trialRead(let key), .failed(let error)):
            return isAskedFor(key) && permissionFailed(error, &effects)
        case (.trialWrite, _), (.trialRead, _), (.question, _), (.deletion, _), (.leftovers, _):
            return false
        }
    }

    private func isAskedFor(_ trial: DocumentKey) -> Bool {
        markers.permission == .asking && trial.collection == policy.markers
    }

    private mutating func permissionFailed(
        _ error: HearthError, _ effects: inout Effects
    ) -> Bool {
        guard error.code.isPermanent else {
            markers.permission = .unknown
            effects.actions.append(.schedule(.markers, after: Self.retryDelay))
            return false
        }
        markers.permission = .denied(error)
        effects.actions.append(.note(.markersDenied(error)))
        return true
    }

    // MARK: Tidying

    /// A batch left the queue by the backend's word.
    mutating func noteAnswered(_ queued: QueuedBatch, _ effects: inout Effects) {
        guard queued.user == local.user, markers.marker(of: queued) != nil else { return }
        if !markers.hasAnswered {
            effects.actions.append(.schedule(.markers, after: Self.tendingInterval))
        }
        markers.answered(queued.batch.id, at: uptime)
    }

    /// Markers could not be deleted or listed now.
    mutating func tidyingFailed(_ effects: inout Effects) {
        markers.leftoversSince = uptime
        effects.actions.append(.schedule(.markers, after: Self.tendingInterval))
    }

    /// Lets markers go whose time has come.
    mutating func tendMarkers(_ effects: inout Effects) {
        if offlineCauses.contains(.shutdown) { return }
        askForPermission(&effects)
        let last = markers.eras.last { $0.collection != nil }?.collection
        if canUseNetwork, let collection = policy.markers ?? last {
            delete(markers.due(at: uptime, in: collection), &effects)
            listLeftovers(in: collection, &effects)
        }
        let isWaiting = policy.markers != nil && markers.permission == .unknown
        guard isWaiting || markers.hasAnswered || markers.leftoversSince != nil else { return }
        effects.actions.append(.schedule(.markers, after: Self.tendingInterval))
    }

    private mutating func delete(_ keys: [DocumentKey], _ effects: inout Effects) {
        var rest = keys[...]
        while !rest.isEmpty {
            let deletes = rest.prefix(Self.deletionCountMax).map {
                Mutation(key: $0, kind: .delete)
            }
            rest = rest.dropFirst(deletes.count)
            ask(.commit(deletes), .deletion, &effects)
        }
    }

    /// Asks for leftover markers of former runs, once the runs' batches were answered long ago.
    private mutating func listLeftovers(in collection: ResourcePath, _ effects: inout Effects) {
        guard let since = markers.leftoversSince, WriteMarkers.mayGo(since: since, at: uptime)
        else { return }
        markers.leftoversSince = nil
        askForLeftovers(in: collection, behind: nil, &effects)
    }

    /// Asks for a page of leftover markers.
    ///
    /// - Parameter last: The last marker of the page before; `nil` for the first page.
    private mutating func askForLeftovers(
        in collection: ResourcePath, behind last: DocumentKey?, _ effects: inout Effects
    ) {
        func name(_ key: DocumentKey) -> Value {
            .reference(DocumentName(database: configuration.database, path: key.path))
        }
        guard let range = markers.range(in: collection) else { return }
        var query = StructuredQuery(
            parent: collection.parent, source: .init(collectionID: collection.lastSegment))
        query.orderBys = [OrderBy(.documentID, .ascending)]
        query.startAt = Bound([name(last ?? range.start)], isInclusive: last == nil)
        query.endAt = Bound([name(range.end)], isInclusive: false)
        query.limit = Self.deletionCountMax
        ask(.run(query), .leftovers, &effects)
    }

    private mutating func deleteLeftovers(
        _ documents: [Document], _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        var keys: [DocumentKey] = []
        for document in documents {
            guard let batch = markers.batch(marking: document.key), !markers.isAnswered(batch),
                try store.batch(batch, of: local.user) == nil
            else { continue }
            keys.append(document.key)
        }
        delete(keys, &turn.effects)
        guard documents.count >= Self.deletionCountMax, let last = documents.last?.key else {
            return
        }
        askForLeftovers(in: last.collection, behind: last, &turn.effects)
    }

    // MARK: Looking

    /// Why a query is not answered: no backend would answer it, or it looks at markers.
    func refusal(of query: Query) -> HearthError? {
        do throws(HearthError) {
            try query.validate()
            return markersRefusal(of: query)
        } catch {
            return error
        }
    }

    /// Why a query must not look at markers, which are nobody's documents; `nil` if it does not.
    func markersRefusal(of query: Query) -> HearthError? {
        guard let collection = policy.markers else { return nil }
        let looks: Bool
        if let group = query.collectionGroup {
            looks = utf8Equals(group, collection.last) && query.path.isPrefix(of: collection)
        } else {
            looks = query.path == collection || query.documentKey?.collection == collection
        }
        guard looks else { return nil }
        return .marks(in: collection)
    }

    /// Why documents must not be touched: some are markers; `nil` if none is.
    func markersRefusal(of keys: some Sequence<DocumentKey>) -> HearthError? {
        guard let collection = policy.markers, keys.contains(where: { $0.collection == collection })
        else { return nil }
        return .marks(in: collection)
    }

    /// Why writes must not be made: some would touch markers; `nil` if none would.
    func markersRefusal(of mutations: [Mutation]) -> HearthError? {
        markersRefusal(of: mutations.lazy.map(\.key))
    }
}

extension HearthError {
    /// Refuses a request for markers: a program that writes markers could steer others' writes.
    package static func marks(in collection: ResourcePath) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message: "\"\(collection)\" holds the daemon's own marks (queue.exactlyOnce), which "
                + "programs neither read nor write. Use another collection.")
    }
}
