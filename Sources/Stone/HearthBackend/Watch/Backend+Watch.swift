import HashTreeCollections
package import HearthModel

/// Watch streams.
///
/// A fresh target is told in this order: ADD, its documents, CURRENT, then a global NO_CHANGE with
/// a token. From then on each commit becomes the documents that changed for the stream, then a
/// global NO_CHANGE. The shell pauses the stream of a client that does not keep up: the backend
/// then keeps only the last moment that the client has heard of. When the client has caught up, the
/// backend tells it the difference.
extension Backend {
    /// Begins a stream.
    ///
    /// - Parameters:
    ///   - stream: A number that no open stream has.
    ///   - database: The database that the stream watches.
    ///   - caller: Who asks on it; rules apply to all but the admin.
    package mutating func open(
        _ stream: StreamID, in database: DatabaseID, by caller: Caller = .admin
    ) {
        if caller != .admin { callers[stream] = caller }
        streams[stream] = database
        databases[database, default: Database()].watch.open(stream)
    }

    /// Ends a stream; nothing more is delivered on it.
    package mutating func close(_ stream: StreamID) {
        callers[stream] = nil
        guard let id = streams.removeValue(forKey: stream) else { return }
        databases[id]?.watch.close(stream)
    }

    /// Adds a target to a stream.
    ///
    /// - Parameters:
    ///   - request: The target, and where to resume.
    ///   - stream: The stream. A stream that has ended ignores the request.
    ///   - now: The time of the request.
    /// - Throws: `HearthError` that ends the stream. What is wrong with the target alone is
    ///   delivered: ADD, then REMOVE with the cause.
    package mutating func watch(
        _ request: WatchRequest, on stream: StreamID, at now: Timestamp
    ) throws(HearthError) {
        resume(stream, at: now)
        guard let id = streams[stream], var database = databases[id] else { return }
        let naming = try database.watch.update(stream) { session throws(HearthError) in
            try session.name(request.targetID)
        }
        guard let target = naming else { return }
        let moment = readMoment(now)
        var messages: [WatchChange] = [.target(.init(kind: .added, targets: [target]))]
        do throws(HearthError) {
            try checkWatch(request, of: stream, in: id, database, at: now)
            if case .query(let query) = request.subject {
                let plan = try WatchStart.plan(query, in: id)
                if let indexes = settings.indexes { try indexes.check(plan, in: id) }
                databases[id] = nil
                database.documents.prepare(for: plan)
            }
            let start = WatchStart(
                database: database, id: id, target: target, request: request,
                since: since(request.resumePoint, database), moment: moment)
            messages += allowed(
                try start.messages(), on: stream, in: id, database, at: moment, now)
            let subscription = Subscription(stream: stream, target: target)
            databases[id] = nil
            try start.subscribe(subscription, in: &database.watch)
            let token = token(at: moment)
            messages.append(
                .target(
                    .init(kind: .current, targets: [target], resumeToken: token, readAt: moment)))
            messages.append(.snapshot(at: moment, token))
            if request.once {
                _ = database.watch.unsubscribe(subscription)
                messages.append(.target(.init(kind: .removed(nil), targets: [target])))
            }
        } catch {
            messages.append(.target(.init(kind: .removed(error), targets: [target])))
        }
        databases[id] = database
        act(.deliver(stream, messages))
    }

    /// Takes a target from a stream. An unknown one is passed over in silence.
    package mutating func unwatch(_ target: WireTargetID, on stream: StreamID) {
        guard let id = streams[stream] else { return }
        let subscription = Subscription(stream: stream, target: target)
        guard databases[id]?.watch.unsubscribe(subscription) ?? false else { return }
        act(.deliver(stream, [.target(.init(kind: .removed(nil), targets: [target]))]))
    }

    /// Delivers nothing more on a stream until `resume`; all so far has been delivered.
    package mutating func pause(_ stream: StreamID) {
        guard let id = streams[stream], let end = databases[id]?.log.end else { return }
        databases[id]?.watch.update(stream) { $0.behind = $0.behind ?? end }
    }

    /// Whether a stream is paused, and so may have missed something.
    package func isPaused(_ stream: StreamID) -> Bool {
        streams[stream].flatMap { databases[$0]?.watch.sessions[stream]?.behind } != nil
    }

    /// Tells a paused stream the missed changes, as far as the rules allow them now.
    package mutating func resume(_ stream: StreamID, at now: Timestamp) {
        guard let id = streams[stream], let behind = databases[id]?.watch.sessions[stream]?.behind
        else { return }
        databases[id]?.watch.update(stream) { $0.behind = nil }
        guard var database = databases[id], let session = database.watch.sessions[stream],
            behind < database.log.end
        else { return }
        let moment = readMoment(now)
        let missed = database.catchUp(
            session, stream, since: behind, at: moment, token(at: moment))
        databases[id] = nil
        let messages = allowed(missed, on: stream, in: id, &database, at: moment, now)
        databases[id] = database
        act(.deliver(stream, messages))
    }

    /// Gives every stream with targets a fresh token, so that the tokens of quiet streams do not
    /// grow too old.
    package mutating func heartbeat(at now: Timestamp) {
        let moment = readMoment(now)
        let message = WatchChange.snapshot(at: moment, token(at: moment))
        for (stream, id) in streams {
            guard let session = databases[id]?.watch.sessions[stream], session.behind == nil,
                !session.targets.isEmpty
            else { continue }
            act(.deliver(stream, [message]))
        }
    }

    /// How many targets commits to a database have been held against, ever: the work of telling.
    package func examinedTargetCount(in database: DatabaseID) -> Int {
        databases[database]?.watch.examinedCount ?? 0
    }

    /// The token that resumes at a moment.
    ///
    /// Shape: identity u64 BE | microseconds since 1970 i64 BE.
    func token(at moment: SnapshotVersion) -> ResumeToken? {
        let microseconds = UInt64(bitPattern: moment.timestamp.microseconds)
        return ResumeToken(
            [identity, microseconds].flatMap { word in
                stride(from: 56, through: 0, by: -8).map {
                    UInt8(truncatingIfNeeded: word >> UInt64($0))
                }
            })
    }

    /// Up to where a client has heard all news; `nil` if it has heard nothing that we remember.
    private func since(_ point: ResumePoint, _ database: Database) -> WatchStart.Since {
        let moment: SnapshotVersion
        switch point {
        case .start: return .nothing
        case .readTime(let version): moment = version
        case .token(let token):
            guard let version = self.moment(of: token) else { return .unknown }
            moment = version
        }
        if moment > clock { return .unknown }
        return moment < database.log.start ? .tooOld(moment) : .moment(moment)
    }

    private func moment(of token: ResumeToken) -> SnapshotVersion? {
        let bytes = token.bytes
        guard bytes.count == 16, bytes[..<8].reduce(0, { $0 << 8 | UInt64($1) }) == identity else {
            return nil
        }
        let microseconds = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
        return SnapshotVersion(Timestamp(microseconds: Int64(bitPattern: microseconds)))
    }
}
