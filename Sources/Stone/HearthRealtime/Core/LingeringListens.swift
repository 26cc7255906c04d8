import HashTreeCollections
import HearthModel

/// The queries that have lost their last listener and are kept in step for a while yet.
///
/// A program that restarts, or that turns from one page to the next, so finds its data in step.
struct LingeringListens: Sendable {
    /// How long a query is kept in step after its last listener.
    static let pause = Duration.seconds(30)
    /// How many queries linger. A program that passes through many ends the eldest.
    static let countMax = 1_000

    private struct Row: Sendable {
        let name: ListenerName
        let dueAt: Timestamp
    }

    private var rows: TreeDictionary<ListenTarget, Row> = [:]
    /// The queries in the order in which they end. A query that is wanted again leaves its place empty.
    private var order: [(target: ListenTarget, name: ListenerName)] = []

    /// Whether no query lingers.
    var isEmpty: Bool { rows.isEmpty }

    /// When the next query ends.
    var nextDueAt: Timestamp? {
        order.first { rows[$0.target]?.name == $0.name }.flatMap { rows[$0.target]?.dueAt }
    }

    /// Lets a query linger under the name of an own listener.
    mutating func add(_ target: ListenTarget, _ name: ListenerName, at now: Timestamp) {
        rows[target] = Row(name: name, dueAt: now.advanced(by: Self.pause))
        order.append((target, name))
    }

    /// A query is wanted again.
    ///
    /// - Returns: The listener that kept the query in step.
    mutating func remove(_ target: ListenTarget) -> ListenerName? {
        rows.removeValue(forKey: target)?.name
    }

    /// Takes out the queries whose time has come, and the eldest beyond the most that may linger.
    mutating func removeDue(at now: Timestamp) -> [(target: ListenTarget, name: ListenerName)] {
        var due: [(target: ListenTarget, name: ListenerName)] = []
        var count = 0
        for entry in order {
            let row = rows[entry.target]
            if let row, row.name == entry.name {
                guard row.dueAt <= now || rows.count > Self.countMax else { break }
                rows[entry.target] = nil
                due.append(entry)
            }
            count += 1
        }
        order.removeFirst(count)
        return due
    }
}
