import HearthEngine
import HearthModel

/// Sends writes to the backend, and takes the outcome of each write.
extension RealtimeEngine {
    /// Sends the next writes of the queue, as far as there is room.
    mutating func fillPipeline(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        let mayWriteGo =
            canUseNetwork && connection.openNumber != nil && pipeline.hasRoom && fenceAdmitsWrites
        if !mayWriteGo && hasUnsentWrites { return }
        try store.enter(.fillPipeline)
        guard mayWriteGo else {
            // What waits matters only to an open connection, so the write itself is not read.
            hasUnsentWrites = try store.nextMayBeSent(after: pipeline.lastID, of: user)
            return
        }
        var last: BatchID?
        hasUnsentWrites = false
        while pipeline.hasRoom, fenceAdmitsWrites,
            let next = try store.nextWriteToSend(after: pipeline.lastID, of: user)
        {
            if mustNotRepeat(next) {
                pipeline.skip(next.id)
                try bury(next, .answerLost, mayHaveBeenApplied: true, isInDoubt: true, &turn)
                continue
            }
            send(action(for: next), expecting: .write(next.id), &turn.effects)
            pipeline.append(next)
            last = next.id
        }
        if !pipeline.hasRoom || !fenceAdmitsWrites {
            hasUnsentWrites = try store.nextMayBeSent(after: pipeline.lastID, of: user)
        }
        // From here on nobody knows whether they were applied, until the answers come.
        if let last { try store.noteSent(through: last, of: user) }
    }

    /// Whether a write may have been applied, adds to what is there, and must not be added twice.
    private func mustNotRepeat(_ write: QueuedWrite) -> Bool {
        write.isInDoubt && gate.limits.lostAnswers.inDoubt == .deadLetter
            && !(fence?.isKept ?? false) && write.change.addsToWhatIsThere
    }

    /// The backend answered a write.
    mutating func writeAnswered(
        _ write: QueuedWrite, _ answer: RealtimeAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        fence?.settled(write.id, isCommitted: answer.status == .ok)
        if answer.status == .ok {
            try commit(write, &turn)
        } else {
            let error = answer.status.error(at: write.change.path, answer.body.text ?? "")
            if answer.status.isPassing {
                hasUnsentWrites = true  // It is in the queue still.
                return try failConnection(error, &turn)
            }
            try bury(
                write, error, mayHaveBeenApplied: write.isInDoubt, isInDoubt: false, &turn)
        }
        // Reading several writes at once costs less, and the connection has enough to do meanwhile.
        if hasUnsentWrites, pipeline.runsLow { try fillPipeline(&turn) }
    }

    /// The backend has a write: what it told of the write's places before now counts.
    mutating func commit(_ write: QueuedWrite, _ turn: inout Turn) throws(StoreError) {
        try turn.store.enter(.settle)
        try turn.store.removeWrite(write.id, of: write.user)
        turn.effects.actions.append(.note(.writeCommitted(write.id)))
        try showToldWrites(&turn)
        if let pending = tree.writes.write(write.name) {
            var late = latePart(of: pending)
            if late != nil, !lateWrites.hasRoom(for: write) {
                try showLateWrites(keepsNone: true, &turn)
                late = nil
            }
            try show(pending, without: late, of: write, wasLate: false, &turn)
        }
        try settle(write, .committed, &turn)
    }

    /// Takes out of the tree what listens have told meanwhile of late writes, or never will.
    mutating func showToldWrites(_ turn: inout Turn) throws(StoreError) {
        guard lateWrites.isDue(listens) else { return }
        try turn.store.enter(.settle)
        try showLateWrites(&turn)
    }

    /// The link is lost, and the store cannot be asked: the late writes are the news in memory alone.
    mutating func showLateWritesInMemory(_ effects: inout Effects) {
        for row in lateWrites.removeAll() {
            guard let pending = tree.writes.write(row.name) else { continue }
            for part in pending.parts { tell(tree.overwrite(part.place, part.node), &effects) }
            tell(tree.settle(pending, isReverted: false), &effects)
            letGo(row.write)
            hashes.isTrusted = false  // Disk and memory differ now.
        }
    }

    /// Looks at all late writes anew, in their order.
    ///
    /// - Parameter keepsNone: Whether to take all out of the tree, whatever they wait for.
    private mutating func showLateWrites(
        keepsNone: Bool = false, _ turn: inout Turn
    ) throws(StoreError) {
        // Only what is late of older writes holds a write back.
        for row in lateWrites.removeAll() {
            guard let pending = tree.writes.write(row.name) else { continue }
            let late = keepsNone ? nil : latePart(of: pending)
            try show(pending, without: late, of: row.write, wasLate: true, &turn)
        }
    }

    /// What waits of a write that the backend has: for a listen that is yet to tell, or for an older write.
    private func latePart(of pending: PendingWrite) -> PendingWrite? {
        guard connection.openNumber != nil else { return nil }
        return pending.parts { listens.isAwaited(at: $0.path) || lateWrites.hold($0) }
    }

    /// Shows the tree without a write that the backend has, but for what is late of the write.
    ///
    /// - Parameters:
    ///   - pending: The write as it lies in the tree.
    ///   - late: What stays in the tree; `nil` for nothing.
    ///   - write: The write as the queue had it.
    ///   - wasLate: Whether listens may have told of later writes as well since the answer.
    private mutating func show(
        _ pending: PendingWrite, without late: PendingWrite?, of write: QueuedWrite,
        wasLate: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        let notesPlaces = notesPlaces(pending.parts.count)
        lateWrites.set(late?.name, of: write)
        guard let late else {
            try showCommitted(pending, notingPlaces: notesPlaces, wasLate: wasLate, &turn)
            return letGo(write)
        }
        let waiting = Set(late.parts.map(\.place))
        if let told = pending.parts(where: { !waiting.contains($0) }) {
            try showCommitted(
                told, leavesParts: true, notingPlaces: notesPlaces, wasLate: wasLate, &turn)
        }
        // Where only filtered listens are, the disk hears of the write before what they tell.
        for part in late.parts where !wasLate && isWindowed(part) {
            try cache(part, notingPlace: notesPlaces, &turn)
        }
    }

    /// Shows the tree without a write, or without some of its parts, and with what was told of the places.
    private mutating func showCommitted(
        _ pending: PendingWrite, leavesParts: Bool = false, notingPlaces: Bool, wasLate: Bool,
        _ turn: inout Turn
    ) throws(StoreError) {
        var windowed: [WritePath] = []
        for part in pending.parts {
            let isPartTold = listens.touches(part.place.path)
            if !isPartTold {
                // Nobody tells of the place, so what was written is the news.
                tell(tree.overwrite(part.place, part.node), &turn.effects)
            }
            guard !listens.coversWhole(part.place.path) else { continue }
            if isPartTold { windowed.append(part.place) }
            guard let part = isPartTold && wasLate ? withWhatIsTold(part) : part else { continue }
            try cache(part, notingPlace: notingPlaces, &turn)
        }
        tell(
            tree.settle(pending, isReverted: false, leavesParts: leavesParts), &turn.effects)
        // A fence may tell of a write that others have long replaced: a filtered view must not keep what the
        // write made of a child that the view does not know.
        for place in windowed { tell(tree.showAnew(place), &turn.effects) }
    }

    /// Whether filtered listens alone are at the place of a part.
    private func isWindowed(_ part: CompoundWrite.Part) -> Bool {
        listens.touches(part.place.path) && !listens.wantsWhole(part.place.path)
            && listens.wholeParts(of: .empty, at: part.place).isEmpty
    }

    /// A part of a late write as the listens have told of its place since; `nil` if the disk has more.
    private func withWhatIsTold(_ part: CompoundWrite.Part) -> CompoundWrite.Part? {
        let (place, node) = part
        if !place.isPriority, let known = tree.completeServerNode(at: place.path) {
            return (place, known)
        }
        if isWindowed(part) { return nil }
        let told = listens.wholeParts(of: node, at: place).filter {
            listens.coversWhole($0.place.path)
        }
        let whole = told.reduce(node) { node, below in
            guard let known = tree.completeServerNode(at: below.place.path) else { return node }
            let rest = RealtimePath(below.place.path.keys.dropFirst(place.path.depth))
            return node.setting(rest, to: known)
        }
        return (place, whole)
    }

    /// How many places of one write the cache notes as known, if nobody had listened there: more of
    /// them would throw out what somebody did listen to.
    private static let notedPlaceCountMax = 16

    /// Whether the cache notes so many places of a write as known, if nobody had listened there.
    ///
    /// In front of a long queue the cache does not: the places of the writes behind would throw out
    /// these places at once, and all that somebody did listen to.
    private func notesPlaces(_ count: Int) -> Bool {
        let forgets = configuration.cacheByteCountMax != nil
        return count <= Self.notedPlaceCountMax
            && (!forgets || tree.writes.count <= RealtimeCollection.queryCountMax)
    }

    /// Takes a part of a write that the backend has into the cache.
    ///
    /// - Parameter notingPlace: Whether to begin to remember a place that was not.
    private mutating func cache(
        _ part: CompoundWrite.Part, notingPlace: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let path = part.place.path
        let above = try store.trackedQueries(atOrAbove: path)
        let isWhole = above.contains { $0.isComplete && $0.target.query.isComplete }
        if !notingPlace, above.isEmpty, try store.trackedQueries(atOrBelow: path).isEmpty {
            return  // What no remembered query shows, nobody would ever forget again.
        }
        try store.setServerNode(part.node, at: part.place)
        if !part.place.isPriority, !isWhole, notingPlace {
            try noteComplete(ListenTarget(path, .all), &turn)
        }
    }

    /// Takes a refused write out of the tree and into the dead letters.
    mutating func bury(
        _ write: QueuedWrite, _ error: HearthError, mayHaveBeenApplied: Bool, isInDoubt: Bool,
        _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        try store.enter(.settle)
        try store.removeWrite(write.id, of: write.user)
        try store.appendDeadLetter(
            RealtimeDeadLetter(
                write: write, error: error, rejectedAt: turn.now,
                mayHaveBeenApplied: mayHaveBeenApplied))
        turn.effects.actions.append(
            .note(isInDoubt ? .writeInDoubt(write.id, error) : .writeRejected(write.id, error)))
        try revert(write, .rejected(error, mayHaveBeenApplied: mayHaveBeenApplied), &turn)
    }

    /// Shows the tree without a write, and tells the writer why.
    mutating func revert(
        _ write: QueuedWrite, _ outcome: RealtimeOutcome, _ turn: inout Turn
    ) throws(StoreError) {
        let count = tree.writes.count
        tell(tree.settle(write.name, isReverted: true), &turn.effects)
        if tree.writes.count < count { letGo(write) }
        try settle(write, outcome, &turn)
    }

    /// Tells everybody who waits for a write what became of it.
    private mutating func settle(
        _ write: QueuedWrite, _ outcome: RealtimeOutcome, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        if let identity = try store.identity(of: write.id) {
            try store.setRecord(WriteRecord(batch: write.id, outcome: outcome), of: identity)
        }
        let (writer, waiters) = pendingWrites.settled(write.id)
        if let writer { turn.effects.actions.append(.settle(writer, write.id, outcome)) }
        try farewellSettled(write.id, &turn)
        if waiters.isEmpty { return }
        // Answers come in order, but an administrator may take a write out before those in front.
        if let previous = try store.previousWriteID(before: write.id, of: write.user) {
            for waiter in waiters { pendingWrites.awaitAll(upTo: previous, for: waiter) }
        } else {
            turn.effects.actions += waiters.map { .complete($0) }
        }
    }
}

extension RealtimeChange {
    /// The request that makes the change.
    var action: RealtimeAction {
        switch self {
        case .set(let place, let node): .put(place, node, hash: nil)
        case .update(let path, let parts): .merge(path, parts)
        }
    }
}

extension HearthError {
    /// A write that adds to the present value was sent, and its answer was lost.
    fileprivate static let answerLost = HearthError(
        code: .aborted,
        message: "The connection ended before the answer to the write, which adds to what is "
            + "there. It may have been applied; sent again, it could add twice.")
}
