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

    /// Follows from the beginning, so the first events tell the whole node.
    ///
    /// - Parameter startsOver: False for observers that have been told everything by others' means.
    init(startsOver: Bool = true) {
        self.startsOver = startsOver
    }

    /// Whether `take` may return events.
    func isDue(in observed: ObservedNode) -> Bool {
        observed.hasBegun && (startsOver || isValueDue || !changes.isEmpty)
    }

    /// Takes in a difference of the view.
    mutating func absorb(_ difference: ObservedNode.Difference, in observed: ObservedNode) {
        guard !startsOver else { return }
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
