import HearthModel

/// What became of every write and transaction of a simulation.
///
/// Each write also adds one to a place of its own, `log/N`, which tells how often it was applied.
final class RealtimeLedger {
    /// One write.
    struct Entry {
        let daemon: Int
        let change: RealtimeChange
        /// Whether the rules refuse it.
        let isDenied: Bool
        /// The number it has in its daemon's queue, once a turn that took it stood.
        var batch: BatchID?
        /// Whether the program has heard that it is durable.
        var isHeard = false
    }

    private(set) var entries: [Int: Entry] = [:]
    /// Transactions that the service is known to have, and those that it may have.
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
        let mark = RealtimeChange.Part(
            WritePath(Self.place(number)), UnresolvedNode(.increment(.integer(1))))
        entries[number] = Entry(
            daemon: daemon, change: .update(.root, [part, mark]),
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

    /// The writes of a daemon whose programs have not heard that they are durable.
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
