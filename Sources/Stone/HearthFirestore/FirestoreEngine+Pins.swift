import HashTreeCollections
import HearthEngine
import HearthModel

/// Queries that are kept in step though nobody listens.
///
/// A pin listens as a program does, and tells nobody. Its target stays in use as long as the pin is
/// kept, so no collection takes the documents. What a restart needs to know of a pin is in the
/// target's data: up to when the results were complete (`limboFreeVersion`).
extension FirestoreEngine {
    /// From now on these queries are kept. O(pins), without a look at the cache.
    ///
    /// A pin that was stopped is tried again.
    mutating func setPins(_ set: PinSet, answering id: RequestID?, _ effects: inout Effects) {
        pins.limits = set
        pins.limits.pins = []
        pins.isTold = true
        let wanted = Dictionary(set.pins.map { ($0.id, $0) }) { $1 }
        for (id, row) in pins.rows where wanted[id]?.query != row.pin.query {
            remove(row, &effects)
        }
        for pin in wanted.values { order(pin, &effects) }
        stopLargest(&effects)
        for waiter in pins.waiters where wanted[waiter.pin] == nil {
            refuseWaiters(for: waiter.pin, .unpinned(waiter.pin), &effects)
        }
        tendPinsSoon(&effects)
        if let id { effects.actions.append(.complete(id)) }
    }

    private mutating func order(_ pin: Pin, _ effects: inout Effects) {
        if let error = refusal(of: pin.query) {
            stop(PinTable.Row(pin: pin), error, retryAt: nil, &effects)
            return
        }
        guard var row = pins[pin.id] else {
            pins[pin.id] = PinTable.Row(pin: pin)
            return
        }
        if case .stopped = row.phase { row.phase = .ordered }
        if row.pin != pin {
            row.pin = pin
            if case .resting = row.phase { row.phase = .ordered }
        }
        pins[pin.id] = row
    }

    private mutating func remove(_ row: PinTable.Row, _ effects: inout Effects) {
        pins[row.pin.id] = nil
        letGo(of: row, &effects)
        refuseWaiters(for: row.pin.id, .unpinned(row.pin.id), &effects)
    }

    /// Stops pins of users that are above the limit, which may have become smaller.
    private mutating func stopLargest(_ effects: inout Effects) {
        let figures = pins.figures
        let owners = gate.limits.owners
        let above = figures.byteCounts.keys.filter { uid in
            guard let payer = uid.map(owners.owner(of:)) else { return false }
            return figures.byteCount(paidBy: payer, owners) > pins.limits.uidByteCountMax
        }
        guard !above.isEmpty else { return }
        for row in pins.rows.values.sorted(by: { $0.pin.id > $1.pin.id })
        where above.contains(row.pin.id.uid) && row.byteCount > 0 {
            _ = stopsForSize(row, &effects)
        }
    }

    /// The cache need not keep the documents of a pin any more.
    private mutating func letGo(of row: PinTable.Row, _ effects: inout Effects) {
        guard let target = row.target else { return }
        if !pins.holds(target) { local.pinned.remove(target) }
        unlisten(.pin(row.pin.id), &effects)
        guard !local.pinned.contains(target), views.ids(of: target).isEmpty,
            let ending = local.release(target)
        else { return }
        effects.endings.append(ending)
    }

    /// Keeps nothing of a pin, for a while or until its orders change.
    private mutating func stop(
        _ row: PinTable.Row, _ error: HearthError, retryAt: Timestamp?, _ effects: inout Effects
    ) {
        var stopped = row
        stopped.phase = .stopped(error, retryAt: retryAt)
        stopped.isCurrent = false
        if retryAt == nil { (stopped.target, stopped.byteCount) = (nil, 0) }
        let isNews = pins[row.pin.id]?.phase != stopped.phase
        pins[row.pin.id] = stopped
        if retryAt == nil { letGo(of: row, &effects) }
        refuseWaiters(for: row.pin.id, error, &effects)
        if isNews { effects.actions.append(.note(.pinStopped(row.pin.id, error))) }
    }

    // MARK: Taking pins up

    /// Takes up one pin, or opens one, and leaves the rest to the next turn.
    mutating func tendPins(_ turn: inout Turn) throws(StoreError) {
        pins.wake(at: turn.now)
        if let row = pins.nextOrdered.flatMap({ pins[$0] }) {
            guard let found = try look(at: row.pin.query, for: .pins, &turn) else { return }
            try adopt(row, found, &turn)
        } else if let step = pins.nextStep(at: turn.now), let row = pins[step.opened] {
            if let closed = step.closed { rest(closed, .waiting, &turn.effects) }
            guard let sight = try firstSight(of: row.pin.query, for: .pins, &turn) else { return }
            try open(row, sight, &turn)
        }
        tendPinsSoon(&turn.effects)
    }

    private func tendPinsSoon(_ effects: inout Effects) {
        let now = effects.now
        if pins.nextOrdered != nil || pins.nextStep(at: now) != nil {
            effects.actions.append(.schedule(.pins, after: PinLimits.pause))
        } else if let due = pins.nextDue(at: now) {
            let delay = due > now ? due.since(now) : PinLimits.pause
            effects.actions.append(.schedule(.pins, after: delay))
        } else if !pins.rows.isEmpty {
            effects.actions.append(.cancel(.pins))
        }
    }

    /// Keeps the documents of a pin from now on.
    private mutating func adopt(
        _ ordered: PinTable.Row, _ found: LocalStore.QueryResult, _ turn: inout Turn
    ) throws(StoreError) {
        var row = ordered
        try noteEndings(&turn)
        let data = try local.allocate(row.pin.query.target, turn.store)
        local.pinned.insert(data.id)
        row.target = data.id
        row.byteCount = Self.byteCount(of: row.pin.query, found.documents)
        if data.limboFreeVersion > .zero {
            row.completedAt = max(
                data.limboFreeVersion.timestamp, row.completedAt ?? data.limboFreeVersion.timestamp)
        }
        row.phase = .waiting
        if let freshness = row.pin.freshness, row.isReady(at: turn.now),
            let until = row.completedAt?.advanced(by: freshness)
        {
            row.phase = .resting(until: until)
        }
        pins[row.pin.id] = row
        if !stopsForSize(row, &turn.effects) { answerWaiters(for: row, &turn.effects) }
    }

    private static func byteCount(of query: Query, _ found: [DocumentKey: Document]) -> Int {
        guard !found.isEmpty else { return 0 }
        let sample = found.values.prefix(PinLimits.sampleCount)
        let mean = sample.reduce(0) { $0 + $1.byteCount } / sample.count
        return mean * min(found.count, query.limit?.count ?? .max)
    }

    private mutating func open(
        _ waiting: PinTable.Row, _ sight: FirstSight, _ turn: inout Turn
    ) throws(StoreError) {
        var row = waiting
        row.phase = .open(since: turn.now)
        pins[row.pin.id] = row
        let options = ListenOptions(includeMetadataChanges: true)
        try add(
            Listener(recipient: .pin(row.pin.id), options: options), to: row.pin.query, sight,
            &turn)
    }

    /// A pin gives its listener up.
    private mutating func rest(_ id: Pin.ID, _ phase: PinTable.Phase, _ effects: inout Effects) {
        guard var row = pins[id] else { return }
        row.phase = phase
        row.isCurrent = false
        pins[id] = row
        unlisten(.pin(id), &effects)
    }

    // MARK: What becomes of pins

    /// A pin's view changed.
    ///
    /// - Returns: Whether the pin needs no listener any more.
    mutating func told(
        _ snapshot: ViewSnapshot, of id: Pin.ID, _ effects: inout Effects
    ) -> Bool {
        guard var row = pins[id], row.isOpen else { return true }
        row.byteCount = views.byteCount(of: snapshot.query)
        row.isCurrent = !snapshot.isFromCache
        if row.isCurrent {
            if row.completedAt == nil, let data = row.target.flatMap({ local.targets[$0] }) {
                effects.endings.append(.pinned(data))  // So that a restart knows.
            }
            row.completedAt = effects.now
        }
        if row.isCurrent, let freshness = row.pin.freshness {
            row.isCurrent = false
            row.phase = .resting(until: effects.now.advanced(by: freshness))
        }
        pins[id] = row
        if stopsForSize(row, &effects) { return true }
        answerWaiters(for: row, &effects)
        guard case .resting = row.phase else { return false }
        tendPinsSoon(&effects)
        return true
    }

    /// Stops a pin that takes who pays for the pin above the limit.
    private mutating func stopsForSize(_ row: PinTable.Row, _ effects: inout Effects) -> Bool {
        guard let uid = row.pin.id.uid else { return false }
        let owners = gate.limits.owners
        let byteCount = pins.figures.byteCount(paidBy: owners.owner(of: uid), owners)
        let byteCountMax = pins.limits.uidByteCountMax
        guard byteCount > byteCountMax else { return false }
        stop(row, .tooLarge(row, byteCount, byteCountMax), retryAt: nil, &effects)
        return true
    }

    /// The backend refused the target of a pin, whose listener is gone.
    mutating func pinRefused(_ id: Pin.ID, _ error: HearthError, _ effects: inout Effects) {
        guard let row = pins[id] else { return }
        stop(row, error, retryAt: effects.now.advanced(by: PinLimits.refusalPause), &effects)
        tendPinsSoon(&effects)
    }

    /// Every pin begins anew, as after a restart.
    mutating func takeUpPinsAnew(_ effects: inout Effects) {
        for row in pins.rows.values {
            pins[row.pin.id] = PinTable.Row(pin: row.pin)
            letGo(of: row, &effects)
        }
        tendPinsSoon(&effects)
    }

    // MARK: Telling

    /// Tells how pins stand.
    func tellPins(_ ids: [Pin.ID], to id: RequestID, _ effects: inout Effects) {
        let reports = ids.compactMap { pins.report(on: $0, at: effects.now) }
        effects.actions.append(.result(id, .pins(reports)))
    }

    /// A session waits until a pin is complete and fresh.
    mutating func waitForPin(_ pin: Pin.ID, _ id: RequestID, _ effects: inout Effects) {
        guard let row = pins[pin] else {
            if pins.isTold {
                effects.actions.append(.refuse(id, .unpinned(pin)))
            } else {
                pins.waiters.append((id, pin))  // The daemon is about to tell the pins.
            }
            return
        }
        pins.waiters.append((id, pin))
        if case .stopped(let error, _) = row.phase {
            refuseWaiters(for: pin, error, &effects)
        } else if row.phase != .ordered {
            answerWaiters(for: row, &effects)
        }
    }

    private mutating func answerWaiters(for row: PinTable.Row, _ effects: inout Effects) {
        guard row.isReady(at: effects.now) else { return }
        for waiter in takeWaiters(for: row.pin.id) { effects.actions.append(.complete(waiter)) }
    }

    private mutating func refuseWaiters(
        for pin: Pin.ID, _ error: HearthError, _ effects: inout Effects
    ) {
        for waiter in takeWaiters(for: pin) { effects.actions.append(.refuse(waiter, error)) }
    }

    private mutating func takeWaiters(for pin: Pin.ID) -> [RequestID] {
        let waiters = pins.waiters.filter { $0.pin == pin }.map(\.id)
        if !waiters.isEmpty { pins.waiters.removeAll { $0.pin == pin } }
        return waiters
    }

    /// Notes how many pins there are and what they take, if a turn has changed anything.
    mutating func notePins(_ effects: inout Effects) {
        guard pins.hasChanged else { return }
        pins.hasChanged = false
        effects.actions.append(.note(.pinned(pins.figures)))
    }
}

extension HearthError {
    fileprivate static func unpinned(_ pin: Pin.ID) -> HearthError {
        HearthError(code: .notFound, message: "\(pin) is not pinned, or not any more.")
    }

    fileprivate static func tooLarge(
        _ row: PinTable.Row, _ byteCount: Int, _ byteCountMax: Int
    ) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message:
                "With \(row.pin.id) the pins of its user have \(byteCount) bytes, and the limit "
                + "is pins.uidByteCountMax = \(byteCountMax). Pin fewer documents, or end other pins."
        )
    }
}
