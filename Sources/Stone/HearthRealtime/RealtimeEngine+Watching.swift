import HashTreeCollections
import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// Something came from the backend.
    mutating func received(
        _ event: RealtimeUpstreamEvent, _ turn: inout Turn
    ) throws(StoreError) {
        switch event {
        case .opened(let number, let offset):
            try connectionOpened(number, serverTimeOffset: offset, &turn)
        case .answered(let number, let answer):
            guard connection.openNumber == number else { return }  // Late, of a closed one.
            try answered(answer, &turn)
        case .pushed(let number, let push):
            guard connection.openNumber == number else { return }
            try pushed(push, &turn)
        case .closed(let number, let error): try connectionClosed(number, error, &turn)
        }
    }

    /// The backend answered a request. An answer to nothing that was asked is ignored.
    private mutating func answered(_ answer: RealtimeAnswer, _ turn: inout Turn)
        throws(StoreError)
    {
        guard let request = requests.removeValue(forKey: answer.number) else { return }
        switch request {
        case .listen(let target): try listenAnswered(target, answer, &turn)
        case .get(let id): try readAnswered(id, answer, &turn)
        case .write(let id):
            guard let write = pipeline.remove(id) else { return }
            try writeAnswered(write, answer, &turn)
        case .transaction(let put): try transactionAnswered(put, answer, &turn)
        case .onDisconnect(let errand): onDisconnectAnswered(errand, answer, &turn.effects)
        case .fence(let call): try fenceAnswered(call, answer, &turn)
        case .notice: break
        }
    }

    /// The backend told something unasked. What no listen asked for changes nothing.
    private mutating func pushed(_ push: RealtimePush, _ turn: inout Turn) throws(StoreError) {
        try turn.store.enter(.applyPush)
        guard push.depth <= RealtimePath.depthMax else { return }  // Nothing is stored so deep.
        switch push {
        case .overwrite(let place, let node, nil): try overwrite(place, node, &turn)
        case .overwrite(let place, let node, let tag?):
            try changeWindow(ListenTag(tag), &turn) { tree, tag in
                tree.overwrite(place, node, tag: tag)
            }
        case .merge(let path, let told, nil): try merge(path, told, &turn)
        case .merge(let path, let told, let tag?):
            let parts = CompoundWrite(told.map { ($0.place, $0.node) })
            try changeWindow(ListenTag(tag), &turn) { tree, tag in
                tree.merge(path, parts, tag: tag)
            }
        case .ranges(let path, let merges, nil):
            try replaceRanges(ListenTarget(path, .all), merges, &turn)
        case .ranges(_, let merges, let tag?):
            guard let target = tree.target(of: ListenTag(tag)) else { return }
            try replaceRanges(target, merges, &turn)
        case .revoked(let path, let queries):
            for query in queries.isEmpty ? [.all] : queries {
                let target = ListenTarget(path, query).asked
                guard listens[target] != nil else { continue }
                endListen(
                    target, RealtimeStatus.permissionDenied.error(at: path, ""), &turn.effects)
            }
        case .authRevoked, .appCheckRevoked, .debug, .unknown:
            break  // The link's business, or nobody's.
        }
        lookAtHashes(after: KeptHashes.lookPause, &turn.effects)
    }

    // MARK: Whole nodes

    private mutating func overwrite(
        _ place: WritePath, _ node: Node, _ turn: inout Turn
    ) throws(StoreError) {
        guard try keep(place, node, &turn) else { return }
        tell(tree.overwrite(place, node), &turn.effects)
    }

    private mutating func merge(
        _ path: RealtimePath, _ told: [RealtimeTold], _ turn: inout Turn
    ) throws(StoreError) {
        var parts: [CompoundWrite.Part] = []
        for told in told where try keep(told.place.below(path), told.node, &turn) {
            parts.append((told.place, told.node))
        }
        if !parts.isEmpty { tell(tree.merge(path, CompoundWrite(parts)), &turn.effects) }
    }

    /// Notes on disk what the server has at a place, as far as a listen asked for it.
    ///
    /// - Returns: Whether some listen did.
    private func keep(
        _ place: WritePath, _ node: Node, _ turn: inout Turn
    ) throws(StoreError) -> Bool {
        if listens.coversWhole(place.path) {
            try turn.store.setServerNode(node, at: place)
            return true
        }
        let parts = listens.wholeParts(of: node, at: place)
        for part in parts { try turn.store.setServerNode(part.node, at: part.place) }
        return !parts.isEmpty
    }

    /// Some stretches of a listen's known data differ.
    private mutating func replaceRanges(
        _ target: ListenTarget, _ merges: [RangeMerge], _ turn: inout Turn
    ) throws(StoreError) {
        guard let listen = listens[target] else { return }
        let old = tree.serverNode(of: target)
        let new = merges.reduce(old) { $1.applied(to: $0) }
        if let tag = listen.tag {
            try changeWindow(tag, &turn) { tree, tag in
                tree.overwrite(WritePath(target.path), new, tag: tag)
            }
        } else {
            if tree.knowsServerNode(at: target.path) {
                try turn.store.setServerNode(at: target.path, from: old, to: new)
            } else {
                try turn.store.setServerNode(new, at: WritePath(target.path))
            }
            tell(tree.overwrite(WritePath(target.path), new), &turn.effects)
        }
    }

    // MARK: Parts of nodes

    /// Changes the result of a filtered query, in memory and on disk.
    private mutating func changeWindow(
        _ tag: ListenTag, _ turn: inout Turn,
        _ change: (inout SyncTree, ListenTag) -> [SyncTree.Update]
    ) throws(StoreError) {
        guard let target = tree.target(of: tag), listens[target] != nil else { return }
        let old = tree.serverNode(of: target)
        let updates = change(&tree, tag)
        if let query = queries[target] {
            try turn.store.setWindow(of: query, from: old, to: tree.serverNode(of: target))
        }
        tell(updates, &turn.effects)
    }

    // MARK: Answers

    private mutating func listenAnswered(
        _ target: ListenTarget, _ answer: RealtimeAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        // A race: it has ended meanwhile, and perhaps another one of the same query was asked for.
        guard let listen = listens[target], listen.request == answer.number else { return }
        guard answer.status == .ok else {
            let error = answer.status.error(at: target.path, answer.body.text ?? "")
            if answer.status.isPassing { return try failConnection(error, &turn) }
            return endListen(target, error, &turn.effects)
        }
        if answer.body.warnings.contains("no_index") {
            turn.effects.actions.append(.note(.indexMissing(target)))
        }
        listens.confirm(target)
        if let tag = listen.tag {
            let updates = tree.listenComplete(tag: tag)
            try storeKeys(of: target, &turn)
            tell(updates, &turn.effects)
        } else {
            try storeNode(of: target, &turn)
            tell(tree.listenComplete(target.path), &turn.effects)
        }
        noteTold(target, &turn.effects)
    }

    /// The service has told all of a filtered query.
    private mutating func storeKeys(
        of target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) {
        guard let query = queries[target] else { return }
        // What a listen further up had told before, no message names again.
        try turn.store.setKeys(of: query, to: tree.serverNode(of: target))
        try complete(query, &turn)
    }

    /// The service has told all of a whole node.
    private mutating func storeNode(
        of target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) {
        if !tree.knowsServerNode(at: target.path) {
            // What is known is all there is; what else the disk has there is out of date.
            try turn.store.setServerNode(
                tree.serverNode(of: target), at: WritePath(target.path))
        }
        try completeQueries(below: target.path, &turn)
    }

    /// The disk has the whole node of a place, and so the result of every query there and below.
    private mutating func completeQueries(
        below path: RealtimePath, _ turn: inout Turn
    ) throws(StoreError) {
        try noteEndedQueries(&turn)
        for query in try turn.store.trackedQueries(atOrBelow: path) { try complete(query, &turn) }
    }

    private mutating func complete(_ query: TrackedQuery, _ turn: inout Turn) throws(StoreError) {
        guard !query.isComplete else { return }
        var query = query
        query.isComplete = true
        try turn.store.setTrackedQuery(query)
        queries.set(query)
    }

    /// The backend ended a listen for good, together with every listener on that listen.
    private mutating func endListen(
        _ target: ListenTarget, _ error: HearthError, _ effects: inout Effects
    ) {
        listens.remove(target)
        hashes.remove(target)
        effects.actions.append(.note(.listenRejected(target, error)))
        let (names, actions) = tree.cancel(target.path, target.query)
        for view in Set(names.compactMap { listeners[$0]?.target }) {
            release(view, &effects)
            _ = lingering.remove(view)
        }
        for name in names {
            if let id = listeners[name]?.id { effects.actions.append(.fail(id, error)) }
            listeners.remove(name)
            keep.remove(name)
        }
        transactionsEnded(names, because: error, &effects)
        follow(actions, &effects)
    }
}

extension RealtimePush {
    /// How many keys the deepest place has that the message names.
    fileprivate var depth: Int {
        switch self {
        case .overwrite(let place, _, _): place.path.depth
        case .merge(let path, let told, _):
            told.reduce(path.depth) { max($0, path.depth + $1.place.path.depth) }
        case .ranges(let path, _, _), .revoked(let path, _): path.depth
        case .authRevoked, .appCheckRevoked, .debug, .unknown: 0
        }
    }
}

extension RealtimeStatus {
    /// Whether another connection may get another answer.
    var isPassing: Bool {
        switch word {
        case "unavailable", "disconnected", "expired_token", "invalid_token": true
        default: false
        }
    }

    /// The error that a program gets.
    func error(at path: RealtimePath, _ reason: String) -> HearthError {
        let code: StatusCode
        let words: String
        switch word {
        case "permission_denied":
            (code, words) = (.permissionDenied, "The rules of the database do not allow this.")
        case "too_big":
            (code, words) = (
                .resourceExhausted, "There is more than one request may read or write."
            )
        case "unavailable", "disconnected":
            (code, words) = (.unavailable, "The service cannot do it now; try again.")
        case "expired_token", "invalid_token":
            (code, words) = (.unauthenticated, "The service does not accept the credentials.")
        case "datastale": (code, words) = (.aborted, "The data has changed meanwhile.")
        default: (code, words) = (.failedPrecondition, "The service refuses it.")
        }
        let told = reason.isEmpty ? "" : " The service said: \(ControlCharacters.escaped(reason))"
        return HearthError(
            code: code, message: "\(word) at \(path): \(words)\(told)")
    }
}
