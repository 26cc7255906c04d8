import HashTreeCollections
import HearthEngine
import HearthModel

/// What the backend is still to be asked of orders for the connection's end, and what it was asked.
struct OnDisconnectErrands: Sendable {
    enum Errand: Hashable, Sendable {
        /// Take an order.
        case register(OnDisconnectTree.Number)
        /// Take these places of an order again, which a cancelling took away.
        case restore(OnDisconnectTree.Number, [WritePath])
        /// Forget what was ordered at a place and below; the session waits for the answer.
        case cancel(WritePath, for: RequestID?)
    }

    private var waiting: [Int64] = []
    private var errands: TreeDictionary<Int64, Errand> = [:]
    private var lastNumber: Int64 = 0

    /// Whether nothing is asked or to be asked.
    var isEmpty: Bool { errands.isEmpty }

    mutating func add(_ errand: Errand) {
        lastNumber += 1
        errands[lastNumber] = errand
        waiting.append(lastNumber)
    }

    /// Takes what the backend has not been asked, in order.
    mutating func take() -> [(number: Int64, errand: Errand)] {
        defer { waiting = [] }
        return waiting.compactMap { number in errands[number].map { (number, $0) } }
    }

    /// Forgets and returns the answered errand.
    @discardableResult
    mutating func finish(_ number: Int64) -> Errand? { errands.removeValue(forKey: number) }

    /// Forgets everything, and says who waited for a cancelling, in the order of asking.
    mutating func removeAll() -> [RequestID] {
        let askers = errands.sorted { $0.key < $1.key }.compactMap { entry in
            if case .cancel(_, let asker) = entry.value { asker } else { nil }
        }
        (waiting, errands) = ([], [:])
        return askers
    }
}
