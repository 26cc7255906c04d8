import HearthModel

/// What some observers of a view have not been told yet.
///
/// Observers that are slower than the news hear less, because waiting changes are joined like the
/// changes of one batch: a child that came and went is never told. What waits is never more than
/// one change for each child.
struct EventFollower: Sendable {
    private var changes = ChangeAccumulator()
    /// Whether the observers are told everything as new, because there was nothing before.
    private var startsOver: Bool
    private var isValueDue = false
    /// A view whose children are new from a place on, if nothing else waits of the children.
    private var rest: (view: IndexedNode, from: Int)?

    /// Follows from the beginning, so the first events tell the whole node.
    ///
    /// - Parameter startsOver: False for observers that have been told everything by others' means.
    init(startsOver: Bool = true) {
        self.startsOver = startsOver
    }

    /// Whether `take` may return events.
    func isDue(in observed: ObservedNode) -> Bool {
        observed.hasBegun && (startsOver || isValueDue || !changes.isEmpty || rest != nil)
    }

    /// Takes in a difference of the view.
    mutating func absorb(_ difference: ObservedNode.Difference, in observed: ObservedNode) {
        guard !startsOver else { return }
        noteRest()
        // Whoever was to hear of the children is gone. The next changes do not follow on these.
        if !difference.namesChildren { changes = ChangeAccumulator() }
        if difference.beganEmpty, changes.isEmpty, observed.view.count > 0 {
            startsOver = true
            return
        }
        if difference.beganEmpty, !changes.isEmpty {
            for child in observed.view.node.children {
                changes.note(child.key, from: .empty, to: child.node)
            }
        }
        for change in difference.changes { changes.note(change) }
        isValueDue = isValueDue || difference.isValueTold
        guard let place = difference.restFrom else { return }
        rest = (observed.view, place)
        if !changes.isEmpty { noteRest() }
    }

    /// Notes the new children one by one, because other changes wait too, or follow.
    private mutating func noteRest() {
        guard let (view, start) = rest else { return }
        rest = nil
        for place in start..<view.count {
            changes.note(view[place].key, from: .empty, to: view[place].node)
        }
    }

    /// The events that the observers have not heard, in the order of telling.
    ///
    /// - Parameter wantsChildren: Whether any observer wants events of children.
    mutating func take(
        from observed: ObservedNode, wantsChildren: Bool
    ) -> [RealtimeEvent] {
        guard observed.hasBegun else { return [] }
        defer { self = EventFollower(startsOver: false) }
        if startsOver {
            return Self.initialEvents(of: observed, wantsChildren: wantsChildren)
        }
        if let (view, start) = rest, wantsChildren {
            return EventGenerator(index: view.index).initialEvents(
                of: view, from: start, isComplete: isValueDue)
        }
        return EventGenerator(index: observed.view.index).events(
            of: wantsChildren ? changes.changes : [], in: observed.view, isValueTold: isValueDue)
    }

    /// The events that tell a new observer everything that is there.
    static func initialEvents(
        of observed: ObservedNode, wantsChildren: Bool
    ) -> [RealtimeEvent] {
        let generator = EventGenerator(index: observed.view.index)
        if wantsChildren {
            return generator.initialEvents(of: observed.view, isComplete: observed.isComplete)
        }
        return generator.events(of: [], in: observed.view, isValueTold: observed.isComplete)
    }
}
