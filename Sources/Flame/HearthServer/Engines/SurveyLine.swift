/// Decides which survey is taken next: a few at once, one of each owner, and the owners take turns.
///
///     append > next > finished
///
/// So an owner who asks for survey after survey delays only the owner's own.
struct SurveyLine<Element> {
    /// Who asks: a Unix user, or with `nil` the daemon itself.
    typealias Owner = UInt32?

    private let laneCount: Int
    /// What waits, of each owner in the order of asking.
    private var waiting: [Owner: [Element]] = [:]
    /// The owners of what waits. The owner who was served last is last.
    private var order: [Owner] = []
    private var running: Set<Owner> = []

    /// An empty line.
    ///
    /// - Parameter laneCount: How many surveys are taken at once, 1 or more.
    init(laneCount: Int) {
        self.laneCount = laneCount
    }

    /// Puts a survey at the end of its owner's.
    mutating func append(_ element: Element, of owner: Owner) {
        if waiting[owner] == nil { order.append(owner) }
        waiting[owner, default: []].append(element)
    }

    /// The next survey to begin; `nil` if none may begin now. O(owners).
    mutating func next() -> (element: Element, owner: Owner)? {
        guard running.count < laneCount,
            let place = order.firstIndex(where: { !running.contains($0) })
        else { return nil }
        let owner = order.remove(at: place)
        guard var elements = waiting.removeValue(forKey: owner), !elements.isEmpty else {
            preconditionFailure("An owner is in the order, and nothing waits")
        }
        let element = elements.removeFirst()
        if !elements.isEmpty {
            waiting[owner] = elements
            order.append(owner)
        }
        running.insert(owner)
        return (element, owner)
    }

    /// An owner's survey is over, so another may begin.
    mutating func finished(_ owner: Owner) { running.remove(owner) }

    /// Forgets what waits and leaves.
    mutating func remove(where leaves: (Element) -> Bool) {
        for (owner, elements) in waiting {
            let staying = elements.filter { !leaves($0) }
            waiting[owner] = staying.isEmpty ? nil : staying
        }
        order.removeAll { waiting[$0] == nil }
    }
}
