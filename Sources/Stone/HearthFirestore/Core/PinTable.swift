import HashTreeCollections
import HearthEngine
import HearthModel

/// The pins of a database: which of them are watched now, and how each stands.
///
///     ordered --adopted--> waiting --opened--> open --complete, if it need not be watched--> resting
///                             ^-----------------------too old--------------------------------|
///
/// A pin that is watched all the time holds a target of the backend for good, so the pins of all
/// users share a number of targets: whoever has the fewest is served first, and a user with two more
/// than another who waits gives one up. A pin that is only refreshed holds a target for a moment.
package struct PinTable: Sendable {
    enum Phase: Hashable, Sendable {
        /// Nobody has looked what the cache has of the pin.
        case ordered
        /// The pin waits for its turn with the backend.
        case waiting
        /// The pin has a listener.
        case open(since: Timestamp)
        /// The results are fresh until then.
        case resting(until: Timestamp)
        /// Nothing is kept, until then or for good.
        case stopped(HearthError, retryAt: Timestamp?)
    }

    struct Row: Hashable, Sendable {
        var pin: Pin
        var phase = Phase.ordered
        /// The target, as long as the cache must keep its documents.
        var target: TargetID?
        /// When the results were complete last.
        var completedAt: Timestamp?
        /// Whether the results are the backend's now.
        var isCurrent = false
        var byteCount = 0

        var isOpen: Bool { if case .open = phase { true } else { false } }
        var isRefreshed: Bool { pin.freshness != nil }

        /// Whether the results are complete, and as fresh as the pin wants.
        ///
        /// Nobody knows the age of results from a time that is to come: the clock has gone back.
        func isReady(at now: Timestamp) -> Bool {
            guard let completedAt else { return false }
            guard let freshness = pin.freshness else { return true }
            return completedAt <= now && completedAt.advanced(by: freshness) > now
        }

        /// Whether a rest until then is over, or has become longer because the clock went back.
        func isRested(until: Timestamp, at now: Timestamp) -> Bool {
            guard until > now, let freshness = pin.freshness else { return true }
            return until > now.advanced(by: freshness)
        }
    }

    /// The next pin to open, and the pin that makes room.
    struct Step: Hashable, Sendable {
        let opened: Pin.ID
        let closed: Pin.ID?
    }

    /// What the pins may take.
    var limits = PinSet()
    /// Whether the engine has been told its pins.
    var isTold = false
    /// Who waits until a pin is complete and fresh.
    var waiters: [(id: RequestID, pin: Pin.ID)] = []
    /// Whether the figures may be others than those told last.
    var hasChanged = false
    private(set) var rows: TreeDictionary<Pin.ID, Row> = [:]

    /// No pins.
    init() {}

    subscript(_ id: Pin.ID) -> Row? {
        get { rows[id] }
        set {
            hasChanged = true
            rows[id] = newValue
        }
    }

    /// How many have a listener.
    var openCount: Int { rows.values.count(where: \.isOpen) }

    /// Whether a pin needs the documents of a target.
    func holds(_ target: TargetID) -> Bool { rows.values.contains { $0.target == target } }

    /// About how many bytes the cache keeps for pins that have no listener now.
    ///
    /// - Parameter isShown: Whether a view shows the documents of a target anyway.
    func unseenByteCount(isShown: (TargetID) -> Bool) -> Int {
        var largest: [TargetID: Int] = [:]
        for row in rows.values where !row.isOpen {
            guard let target = row.target, !isShown(target) else { continue }
            largest[target] = max(largest[target] ?? 0, row.byteCount)
        }
        return largest.values.reduce(0, +)
    }

    /// How many pins there are, and what they take.
    var figures: PinFigures {
        var figures = PinFigures()
        for row in rows.values {
            figures.count += 1
            if case .stopped = row.phase { figures.stoppedCount += 1 }
            figures.byteCounts[row.pin.id.uid, default: 0] += row.byteCount
        }
        return figures
    }

    /// How a pin stands; `nil` if there is none.
    func report(on id: Pin.ID, at now: Timestamp) -> PinReport? {
        guard let row = rows[id] else { return nil }
        var report = PinReport(
            pin: row.pin, state: .waiting, completedAt: row.completedAt, byteCount: row.byteCount)
        if case .stopped(let error, _) = row.phase {
            report.state = .stopped
            report.error = error
        } else if row.isCurrent {
            report.state = .inStep
        } else if row.completedAt != nil {
            report.state = row.isRefreshed && row.isReady(at: now) ? .fresh : .stale
        }
        return report
    }

    // MARK: Turns with the backend

    /// Has pins wait whose results are too old now, and pins try again whose pause is over.
    mutating func wake(at now: Timestamp) {
        for (id, row) in rows {
            switch row.phase {
            case .resting(let until) where row.isRested(until: until, at: now):
                rows[id]?.phase = .waiting
            case .stopped(_, let retryAt?) where retryAt <= now: self[id]?.phase = .ordered
            case .ordered, .waiting, .open, .resting, .stopped: break
            }
        }
    }

    /// A pin that nobody has looked at.
    var nextOrdered: Pin.ID? { rows.lazy.filter { $0.value.phase == .ordered }.map(\.key).min() }

    /// The next pin to open; `nil` if none may be opened now.
    func nextStep(at now: Timestamp) -> Step? {
        nextStep(amongRefreshed: true, PinLimits.refreshCountMax, at: now)
            ?? nextStep(amongRefreshed: false, limits.watchedCountMax, at: now)
    }

    private func nextStep(
        amongRefreshed isRefreshed: Bool, _ countMax: Int, at now: Timestamp
    ) -> Step? {
        var openCounts: [UInt32?: Int] = [:]
        var open: [(id: Pin.ID, since: Timestamp)] = []
        var waiting: [Pin.ID] = []
        for (id, row) in rows where row.isRefreshed == isRefreshed {
            if case .open(let since) = row.phase {
                open.append((id, since))
                openCounts[id.uid, default: 0] += 1
            } else if row.phase == .waiting {
                waiting.append(id)
            }
        }
        let count = { (id: Pin.ID) in openCounts[id.uid] ?? 0 }
        guard let next = waiting.min(by: { (count($0), $0) < (count($1), $1) }) else { return nil }
        if open.count < countMax { return Step(opened: next, closed: nil) }
        if isRefreshed {
            let slow = open.filter { $0.since.advanced(by: PinLimits.refreshTimeMax) <= now }
            return slow.min { $0.since < $1.since }.map { Step(opened: next, closed: $0.id) }
        }
        let richest = open.map(\.id).max { (count($0), $0) < (count($1), $1) }
        guard let richest, count(richest) > count(next) + 1 else { return nil }
        return Step(opened: next, closed: richest)
    }

    /// When `wake` or `nextStep` have something to do by the passing of time; `nil` for never.
    func nextDue(at now: Timestamp) -> Timestamp? {
        let hasWaiting = rows.values.contains { $0.phase == .waiting && $0.isRefreshed }
        return rows.values.compactMap { row -> Timestamp? in
            switch row.phase {
            case .resting(let until): row.isRested(until: until, at: now) ? now : until
            case .stopped(_, let retryAt): retryAt
            case .open(let since) where row.isRefreshed && hasWaiting:
                since.advanced(by: PinLimits.refreshTimeMax)
            case .ordered, .waiting, .open: nil
            }
        }.min()
    }
}
