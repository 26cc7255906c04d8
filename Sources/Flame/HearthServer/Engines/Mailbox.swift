import NIOCore

/// Where something in a mailbox comes from.
package enum MailboxSource: Hashable, Sendable {
    /// A connected process, and the Unix user whose it is.
    case session(UInt64, of: UInt32 = 0)
    /// The connection to the backend.
    case upstream
    /// A timer of the engine.
    case timers
    /// The daemon itself, or an administrator.
    case administration
}

/// What waits for an engine: one line for each source, which take turns by the work that they cause.
///
/// Who has caused the least work goes first: of users, the backend, timers and the daemon itself; and of
/// a user's sessions each in its turn. So one who asks for costly things, by however many sessions, waits
/// for himself. Who comes back after a pause is counted as having caused as much as those who wait, or he
/// could save up; and nobody is kept back for more than `debtMax`.
///
/// A source that has its quota waiting is told to stop; what it sends nevertheless is kept. So the mailbox
/// holds at most the quota and one read for each.
package struct Mailbox<Element: Sendable>: Sendable {
    /// Who shares the work with others.
    private enum Owner: Hashable {
        case user(UInt32)
        case upstream, timers, administration

        init(_ source: MailboxSource) {
            self =
                switch source {
                case .session(_, let uid): .user(uid)
                case .upstream: .upstream
                case .timers: .timers
                case .administration: .administration
                }
        }
    }

    /// The lines of one owner.
    private struct Share {
        /// Sources with something waiting, in the order of their turns.
        var order = CircularBuffer<MailboxSource>(initialCapacity: 4)
        /// The work that was caused so far, by the mailbox's own count.
        var work: Duration
        /// When it was served last, or began to wait, to be fair among equals.
        var since: UInt64
        /// What its next element may be expected to be, by those that were taken.
        var expected = Duration.zero
    }

    /// Elements that one source may have waiting before it is told to stop.
    package let quota: Int
    /// Elements that wait.
    package private(set) var count = 0

    private var lines: [MailboxSource: CircularBuffer<Element>] = [:]
    /// Of owners of whom something waits, and of those who have caused more work than `level`.
    private var shares: [Owner: Share] = [:]
    /// The work of whoever was served last.
    private var level = Duration.zero
    private var lastNumber: UInt64 = 0
    private var stopped: Set<MailboxSource> = []

    /// An empty mailbox.
    package init(quota: Int) {
        precondition(quota > 0, "A quota of \(quota)")
        self.quota = quota
    }

    /// Whether nothing waits.
    package var isEmpty: Bool { count == 0 }

    /// Whether a source was told to stop, and not yet that it may send again.
    package func isStopped(_ source: MailboxSource) -> Bool { stopped.contains(source) }

    /// Puts an element at the end of its source's line.
    ///
    /// - Returns: Whether the source may send more. If not, `next` tells when it may again.
    package mutating func append(_ element: Element, from source: MailboxSource) -> Bool {
        if lines[source] == nil {
            lines[source] = CircularBuffer(initialCapacity: 4)
            let owner = Owner(source)
            var share = shares.removeValue(forKey: owner) ?? Share(work: level, since: 0)
            if share.order.isEmpty {
                share.work = max(share.work, level)
                share.since = nextNumber()
            }
            share.order.append(source)
            shares[owner] = share
        }
        lines[source, default: CircularBuffer()].append(element)
        count += 1
        guard lines[source, default: CircularBuffer()].count >= quota else { return true }
        stopped.insert(source)
        return false
    }

    /// What was taken out of a mailbox.
    package struct Taken: Sendable {
        /// What waited.
        package let element: Element
        /// Where it came from, to be charged for it.
        package let source: MailboxSource
        /// Whether the source was stopped, and its line is now at most half the quota.
        package let mayResume: Bool
    }

    /// Takes the element whose turn it is; `nil` if nothing waits.
    ///
    /// - Parameter expected: What it may be, as far as its owner's others tell; if it is expected to be
    ///   more work, it stays where it is.
    /// - Complexity: O(owners of whom something waits, or who caused much work lately).
    package mutating func next(ifAtMost expected: Duration? = nil) -> Taken? {
        guard let owner = nextOwner else { return nil }
        if let expected, shares[owner]?.expected ?? .zero > expected { return nil }
        guard var share = shares.removeValue(forKey: owner) else { return nil }
        level = max(level, share.work)
        share.since = nextNumber()
        let source = share.order.removeFirst()
        guard let element = lines[source]?.popFirst() else {
            preconditionFailure("\(source) has a turn and nothing waiting")
        }
        count -= 1
        let left = lines[source]?.count ?? 0
        if left == 0 { lines[source] = nil } else { share.order.append(source) }
        shares[owner] = share
        add(MailboxLimits.workMin, to: owner)
        let mayResume = left <= quota / 2 && stopped.remove(source) != nil
        return Taken(element: element, source: source, mayResume: mayResume)
    }

    /// Who has caused the least work of those who wait.
    private var nextOwner: Owner? {
        var least: (owner: Owner, work: Duration, since: UInt64)?
        for (owner, share) in shares where !share.order.isEmpty {
            if let least, (least.work, least.since) < (share.work, share.since) { continue }
            least = (owner, share.work, share.since)
        }
        return least?.owner
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Notes how much work an element was that was taken.
    package mutating func charge(_ work: Duration, to source: MailboxSource) {
        let owner = Owner(source)
        if let expected = shares[owner]?.expected {
            shares[owner]?.expected = (expected * 3 + work) / 4
        }
        add(work, to: owner)
    }

    private mutating func add(_ work: Duration, to owner: Owner) {
        guard var share = shares.removeValue(forKey: owner) else { return }
        share.work = min(share.work + work, level + MailboxLimits.debtMax)
        if !share.order.isEmpty || share.work > level { shares[owner] = share }
        if shares.count > MailboxLimits.shareCount { forgetPaid() }
    }

    /// Forgets owners who wait for nothing and have caused no more work than others since.
    private mutating func forgetPaid() {
        let level = level
        shares = shares.filter { !$0.value.order.isEmpty || $0.value.work > level }
    }

    /// Takes elements, each in its turn.
    ///
    /// - Parameter countMax: How many elements at most, 1 or more.
    /// - Returns: The elements in the order to be run, and the sources that may send again.
    package mutating func take(atMost countMax: Int) -> (
        elements: [Element], resumed: [MailboxSource]
    ) {
        var elements: [Element] = []
        var resumed: [MailboxSource] = []
        elements.reserveCapacity(min(countMax, count))
        while elements.count < countMax, let taken = next() {
            elements.append(taken.element)
            if taken.mayResume { resumed.append(taken.source) }
        }
        return (elements, resumed)
    }
}

/// How a mailbox shares out turns.
package enum MailboxLimits {
    /// What any element counts for: getting it there is work too.
    package static let workMin = Duration.microseconds(10)
    /// How much more work than another one may have caused, as far as it counts.
    package static let debtMax = Duration.seconds(1)
    /// Owners beyond which it is looked for some that can be forgotten.
    static let shareCount = 64
}
