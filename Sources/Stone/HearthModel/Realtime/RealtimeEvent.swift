/// An event for a listener.
package struct RealtimeEvent: Hashable, Sendable {
    /// The kinds of event that a listener asks for; one batch reports events in this order.
    package enum Kind: Int, Hashable, Comparable, CaseIterable, Sendable {
        case childRemoved
        case childAdded
        case childMoved
        case childChanged
        case value

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// What happened.
    package let kind: Kind
    /// The key of the changed child; `nil` for a value.
    package let key: ChildKey?
    /// The child now; for a removed child, the child before. For a value, the whole node.
    package let node: Node
    /// The child before it in the order of the query; `nil` if it is the first, was removed, or for a value.
    package let previousKey: ChildKey?

    /// Says what happened.
    package init(_ kind: Kind, key: ChildKey?, node: Node, previousKey: ChildKey?) {
        self.kind = kind
        self.key = key
        self.node = node
        self.previousKey = previousKey
    }
}

/// Makes a batch's events out of its changes.
///
/// Removed comes before added, added before moved, moved before changed, changed before the value;
/// within a kind children come in the order of the index. A child has moved if its sort value
/// changed, even if the child stayed in its place. The batch then reports the child as changed too.
///
/// - Source: firebase-js-sdk `core/view/EventGenerator.ts`.
package struct EventGenerator: Sendable {
    private let index: QueryIndex

    /// Makes events of a query with this index.
    package init(index: QueryIndex) {
        self.index = index
    }

    /// The events of a batch.
    ///
    /// - Parameters:
    ///   - changes: One for each child that changed.
    ///   - view: The data that the view shows after the batch.
    ///   - isValueTold: Whether the batch reports the value: the view is complete, and changed or
    ///     just became complete.
    package func events(
        of changes: [ChildChange], in view: IndexedNode, isValueTold: Bool
    ) -> [RealtimeEvent] {
        let sorted = changes.map { ($0, index.position(of: ($0.key, $0.node))) }
            .sorted { $0.1 < $1.1 }.map(\.0)
        let events = RealtimeEvent.Kind.allCases.flatMap { kind in
            sorted.filter { isTold($0, as: kind) }.map { event(kind, of: $0, in: view) }
        }
        return isValueTold ? events + [Self.value(view.node)] : events
    }

    /// The events that report the known data to a new listener.
    ///
    /// - Parameter isComplete: Whether the view is complete; only a complete view reports its
    ///   value.
    package func initialEvents(of view: IndexedNode, isComplete: Bool) -> [RealtimeEvent] {
        var previous: ChildKey?
        var events = (0..<view.count).map { place in
            let child = view[place]
            defer { previous = child.key }
            return RealtimeEvent(
                .childAdded, key: child.key, node: child.node, previousKey: previous)
        }
        if isComplete { events.append(Self.value(view.node)) }
        return events
    }

    private static func value(_ node: Node) -> RealtimeEvent {
        RealtimeEvent(.value, key: nil, node: node, previousKey: nil)
    }

    private func isTold(_ change: ChildChange, as kind: RealtimeEvent.Kind) -> Bool {
        switch (change.kind, kind) {
        case (.removed, .childRemoved), (.added, .childAdded), (.changed, .childChanged): true
        case (.changed(let old), .childMoved):
            // By value two nodes with children sort alike, and yet one that changed is told to have moved.
            index == .value || index.sortValue(of: old) != index.sortValue(of: change.node)
        case (.removed, _), (.added, _), (.changed, _): false
        }
    }

    private func event(
        _ kind: RealtimeEvent.Kind, of change: ChildChange, in view: IndexedNode
    ) -> RealtimeEvent {
        RealtimeEvent(
            kind, key: change.key, node: change.node,
            previousKey: kind == .childRemoved ? nil : view.key(before: change.key))
    }
}
