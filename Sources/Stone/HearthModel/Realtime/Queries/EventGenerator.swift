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
    /// - Parameters:
    ///   - view: What is known.
    ///   - start: The place of the first child that the listener has not heard of.
    ///   - isComplete: Whether the view is complete; only a complete view reports its value.
    package func initialEvents(
        of view: IndexedNode, from start: Int = 0, isComplete: Bool
    ) -> [RealtimeEvent] {
        var previous = view.child(at: start - 1)?.key
        var events = (start..<view.count).map { place in
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
