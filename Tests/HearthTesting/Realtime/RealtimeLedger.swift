import HearthModel

/// What became of every write and transaction of a simulation.
///
/// Each write also adds one to a place of its own, `log/N`, and the place tells how often the write
/// was applied.
final class RealtimeLedger {
    /// One write.
    struct Entry {
        let daemon: Int
        let change: RealtimeChange
        /// Whether the rules refuse it.
        let isDenied: Bool
        /// The write's number in its daemon's queue, once a turn that took the write stood.
        var batch: BatchID?
        /// Whether the program has heard that it is durable.
        var isHeard = false
        /// Whether the backend has answered that it was applied.
        var isCommitted = false
        /// Whether an administrator took it out before it was sent; `nil` for not.
        var takenOut: TakenOut?
        /// Whether the program took the write back, perhaps after it was sent.
        var isPurged = false
    }

    /// How an administrator takes a write out of the queue.
    enum TakenOut {
        case cancelled, dropped
    }

    private(set) var entries: [Int: Entry] = [:]
    /// Transactions that the service certainly has, and transactions that it may have.
    var committedCount = 0
    var doubtfulCount = 0
    /// Places of presence whose orders are taken, and who carries the orders out.
    var presences: [RealtimePath: Carrier] = [:]

    /// Who carries out what is ordered for a program's end.
    enum Carrier: Hashable {
        /// The service, whatever becomes of the daemon.
        case service
        /// The daemon alone, if it lives.
        case daemon(Int)
    }

    /// Makes a write out of one part.
    ///
    /// - Returns: The write's number.
    func add(_ part: RealtimeChange.Part, by daemon: Int) -> Int {
        let number = entries.count + 1
        entries[number] = Entry(
            daemon: daemon, change: Self.change(number, part),
            isDenied: part.place.path.keys.first == "denied")
        return number
    }

    /// A turn that took a write stood.
    ///
    /// - Returns: What must not have happened.
    func accepted(_ number: Int, as batch: BatchID, isHeard: Bool) -> String? {
        let known = entries[number]?.batch
        entries[number]?.batch = batch
        if isHeard { entries[number]?.isHeard = true }
        guard let known, known != batch else { return nil }
        return "write \(number) was \(known) in the queue and is accepted as \(batch)"
    }

    /// A turn that heard of an applied write stood.
    func committed(_ batch: BatchID, of daemon: Int) {
        change(batch, of: daemon) { $0.isCommitted = true }
    }

    /// A turn stood in which an administrator took a write out that was not sent.
    func tookOut(_ batch: BatchID, of daemon: Int, as how: TakenOut) {
        change(batch, of: daemon) { $0.takenOut = how }
    }

    /// A turn stood in which a daemon's programs took back what the backend had not answered.
    func purged(_ daemon: Int) {
        for (number, entry) in entries
        where entry.daemon == daemon && entry.batch != nil && !entry.isCommitted {
            entries[number]?.isPurged = true
        }
    }

    /// The writes of a daemon that were in its queue.
    func batches(of daemon: Int) -> [BatchID] {
        entries.values.filter { $0.daemon == daemon }.compactMap(\.batch).sorted()
    }

    /// A write of a daemon as it is to be, if its part is to be another.
    func edited(_ batch: BatchID, of daemon: Int, to part: RealtimeChange.Part) -> RealtimeChange? {
        entries.first { $0.value.daemon == daemon && $0.value.batch == batch }
            .flatMap { $0.value.isDenied ? nil : Self.change($0.key, part) }
    }

    private func change(_ batch: BatchID, of daemon: Int, _ body: (inout Entry) -> Void) {
        for (number, entry) in entries where entry.daemon == daemon && entry.batch == batch {
            var changed = entry
            body(&changed)
            entries[number] = changed
        }
    }

    private static func change(_ number: Int, _ part: RealtimeChange.Part) -> RealtimeChange {
        let mark = RealtimeChange.Part(
            WritePath(place(number)), UnresolvedNode(.increment(.integer(1))))
        return .update(.root, [part, mark])
    }

    /// The writes of a daemon that no program has heard to be durable.
    func unheard(of daemon: Int) -> [Int] {
        entries.filter { $0.value.daemon == daemon && !$0.value.isHeard }.keys.sorted()
    }

    /// Writes that were lost, or were applied otherwise than they should.
    ///
    /// - Parameter isOnce: Whether no write may be applied twice.
    func faults(
        in root: Node, isOnce: Bool, isDeadLetter: (Int, BatchID) -> Bool
    ) -> [String] {
        entries.sorted { $0.key < $1.key }.compactMap { number, entry in
            let count = Self.number(root.node(at: Self.place(number)))
            guard let batch = entry.batch else {
                return count == 0 ? nil : "write \(number) was in no queue and was applied"
            }
            if let how = entry.takenOut {
                if count > 0 { return "write \(number) was taken out and applied" }
                if isDeadLetter(entry.daemon, batch) == (how == .cancelled) { return nil }
                return "write \(number) was taken out, and is a dead letter or not as it should"
            }
            if entry.isPurged {
                return isOnce && count > 1 ? "write \(number) was applied \(count) times" : nil
            }
            if entry.isDenied {
                if count > 0 { return "write \(number) was denied and applied" }
                return isDeadLetter(entry.daemon, batch) ? nil : "write \(number) is no dead letter"
            }
            if count == 0 { return "write \(number) is lost" }
            return isOnce && count > 1 ? "write \(number) was applied \(count) times" : nil
        }
    }

    /// Transactions that were lost or came twice, and orders that were not carried out.
    func faults(ofRest root: Node) -> [String] {
        var faults: [String] = []
        let total = Self.number(root.child("total"))
        if total < committedCount || total > committedCount + doubtfulCount {
            faults.append(
                "\(committedCount) transactions are committed and \(doubtfulCount) in doubt, and "
                    + "they count \(total)")
        }
        for path in presences.keys.sorted() where root.node(at: path) != Node("gone") {
            faults.append("\(path) is \(root.node(at: path)), though its program is gone")
        }
        return faults
    }

    private static func place(_ number: Int) -> RealtimePath {
        RealtimePath(["log", ChildKey(unchecked: "n\(number)")])
    }

    private static func number(_ node: Node) -> Int {
        guard case .integer(let number)? = node.leaf else { return 0 }
        return Int(number)
    }
}
