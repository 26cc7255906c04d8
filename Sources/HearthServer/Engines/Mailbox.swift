import NIOCore

/// Where something in a mailbox comes from.
package enum MailboxSource: Hashable, Sendable {
    /// A connected process.
    case session(UInt64)
    /// The connection to the backend.
    case upstream
    /// A timer of the engine.
    case timers
    /// The daemon itself, or an administrator.
    case administration
}

/// What waits for an engine, one line for each source, served in turn.
///
/// A source that has its quota waiting is told to stop; what it sends nevertheless is kept. So one
/// busy client never stops another, and the mailbox holds at most the quota and one read for each.
package struct Mailbox<Element: Sendable>: Sendable {
    /// Elements that one source may have waiting before it is told to stop.
    package let quota: Int
    /// Elements that wait.
    package private(set) var count = 0

    private var lines: [MailboxSource: CircularBuffer<Element>] = [:]
    private var order = CircularBuffer<MailboxSource>()
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
    /// - Returns: Whether the source may send more. If not, `take` names it when it may again.
    package mutating func append(_ element: Element, from source: MailboxSource) -> Bool {
        if lines[source] == nil {
            lines[source] = CircularBuffer(initialCapacity: 4)
            order.append(source)
        }
        lines[source, default: CircularBuffer()].append(element)
        count += 1
        guard lines[source, default: CircularBuffer()].count >= quota else { return true }
        stopped.insert(source)
        return false
    }

    /// Takes the first of each line, round by round.
    ///
    /// - Parameter countMax: How many elements at most, 1 or more.
    /// - Returns: The elements in the order to be run, and the stopped sources whose line is now at
    ///   most half the quota.
    package mutating func take(atMost countMax: Int) -> (
        elements: [Element], resumed: [MailboxSource]
    ) {
        var elements: [Element] = []
        var resumed: [MailboxSource] = []
        elements.reserveCapacity(min(countMax, count))
        while elements.count < countMax, let source = order.popFirst() {
            guard let element = lines[source]?.popFirst() else { continue }
            elements.append(element)
            let left = lines[source]?.count ?? 0
            if left == 0 {
                lines[source] = nil
            } else {
                order.append(source)
            }
            if left <= quota / 2, stopped.remove(source) != nil { resumed.append(source) }
        }
        count -= elements.count
        return (elements, resumed)
    }
}
