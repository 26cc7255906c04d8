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

/// The elements that wait for an engine, in one line for each source.
///
/// The owners of the sources take turns by the work that their elements cause.
///
/// Owners are the users, the backend, the timers and the daemon itself. The owner who has caused
/// the least work goes first; the sessions of a user take turns. So a user who asks for costly work
/// through many sessions delays only that user's own sessions. An owner who comes back after a
/// pause counts as having caused as much work as the waiting owners; otherwise the owner could save
/// up turns by pausing. The mailbox keeps no owner back for more than `debtMax`.
///
/// A source whose waiting elements reach the quota is told to stop; the mailbox keeps later
/// elements of the source nevertheless. So the mailbox holds at most the quota and one read for
/// each source.
package struct Mailbox<Element: Sendable>: Sendable {
    /// The parties who share the engine's work.
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
        /// Sources whose elements wait, in the order of their turns.
        var order = CircularBuffer<MailboxSource>(initialCapacity: 4)
        /// The work that the owner has caused so far, by the mailbox's own count.
        var work: Duration
        /// When the owner was served last, or began to wait; decides among owners of equal work.
        var since: UInt64
        /// The expected work of the owner's next element, averaged from the elements already taken.
        var expected = Duration.zero

        /// Whether the owner has caused less work than another, or waits for longer.
        func goesBefore(_ other: Share) -> Bool {
            (work, since) < (other.work, other.since)
        }
    }

    /// The number of waiting elements at which the mailbox tells a source to stop.
    package let quota: Int
    /// Elements that wait.
    package private(set) var count = 0

    private var lines: [MailboxSource: CircularBuffer<Element>] = [:]
    /// The shares of owners with waiting elements, and of owners with more work than `level`.
    private var shares: [Owner: Share] = [:]
    /// The work of the owner who was served last.
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

    /// Whether a source is told to stop, and not yet told to send again.
    package func isStopped(_ source: MailboxSource) -> Bool { stopped.contains(source) }

    /// Puts an element at the end of its source's line.
    ///
    /// - Returns: Whether the source may send more. If not, `next` tells when it may again.
    package mutating func append(_ element: Element, from source: MailboxSource) -> Bool {
        count += 1
        let isStopped: Bool
        if let index = lines.index(forKey: source) {
            lines.values[index].append(element)
            isStopped = lines.values[index].count >= quota
        } else {
            var line = CircularBuffer<Element>(initialCapacity: 4)
            line.append(element)
            lines[source] = line
            isStopped = quota == 1
            wait(source)
        }
        if isStopped { stopped.insert(source) }
        return !isStopped
    }

    /// Gives a source whose first element came a place among its owner's sources.
    private mutating func wait(_ source: MailboxSource) {
        let owner = Owner(source)
        let number = nextNumber()
        guard let index = shares.index(forKey: owner) else {
            var share = Share(work: level, since: number)
            share.order.append(source)
            shares[owner] = share
            return
        }
        if shares.values[index].order.isEmpty {
            shares.values[index].work = max(shares.values[index].work, level)
            shares.values[index].since = number
        }
        shares.values[index].order.append(source)
    }

    /// An element that was taken out of a mailbox.
    package struct Taken: Sendable {
        /// The element.
        package let element: Element
        /// The source of the element, to be charged for the work.
        package let source: MailboxSource
        /// Whether the source was stopped, and its line is now at most half the quota.
        package let mayResume: Bool
    }

    /// Takes the element whose turn it is; `nil` if nothing waits.
    ///
    /// - Parameter expected: The most work that the element may need. If the owner's earlier
    ///   elements promise more work, the element stays in its line.
    /// - Complexity: O(owners with waiting elements, and owners who caused much work lately).
    package mutating func next(ifAtMost expected: Duration? = nil) -> Taken? {
        guard let index = nextOwner else { return nil }
        if let expected, shares.values[index].expected > expected { return nil }
        level = max(level, shares.values[index].work)
        shares.values[index].since = nextNumber()
        let source = shares.values[index].order.removeFirst()
        guard let line = lines.index(forKey: source), let element = lines.values[line].popFirst()
        else { preconditionFailure("\(source) has a turn and nothing waiting") }
        count -= 1
        let left = lines.values[line].count
        if left == 0 {
            lines.remove(at: line)
        } else {
            shares.values[index].order.append(source)
        }
        add(MailboxLimits.workMin, at: index)
        let mayResume = left <= quota / 2 && stopped.remove(source) != nil
        return Taken(element: element, source: source, mayResume: mayResume)
    }

    /// Where the waiting owner is who has caused the least work.
    private var nextOwner: Dictionary<Owner, Share>.Index? {
        var least: Dictionary<Owner, Share>.Index?
        for index in shares.indices where !shares.values[index].order.isEmpty {
            if let least, shares.values[least].goesBefore(shares.values[index]) { continue }
            least = index
        }
        return least
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Charges the owner of a source for the work of an element that was taken.
    package mutating func charge(_ work: Duration, to source: MailboxSource) {
        guard let index = shares.index(forKey: Owner(source)) else { return }
        shares.values[index].expected = (shares.values[index].expected * 3 + work) / 4
        add(work, at: index)
    }

    /// Adds to an owner's work, and forgets the owner if the owner has nothing more to pay for.
    private mutating func add(_ work: Duration, at index: Dictionary<Owner, Share>.Index) {
        let sum = min(shares.values[index].work + work, level + MailboxLimits.debtMax)
        shares.values[index].work = sum
        if shares.values[index].order.isEmpty, sum <= level { shares.remove(at: index) }
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
    /// The least work that any element counts for, because delivering an element is work too.
    package static let workMin = Duration.microseconds(10)
    /// The most work, beyond the level of the mailbox, that counts against an owner.
    package static let debtMax = Duration.seconds(1)
    /// The number of shares above which the mailbox forgets shares that are no longer needed.
    static let shareCount = 64
}
