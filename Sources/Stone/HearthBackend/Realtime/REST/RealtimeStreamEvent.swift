package import HearthModel

/// An event of a REST stream: one change, with a path relative to the stream's place.
package struct RealtimeStreamEvent: Hashable, Sendable {
    /// The name of the event.
    package enum Name: String, Hashable, Sendable {
        /// The data is the new content at the path.
        case put
        /// Each member of the data is the new content at the member's path below the event's path.
        case patch
    }

    /// The name of the event.
    package let name: Name
    /// The way from the stream's place; the root for all of it.
    package let path: WritePath
    /// What is there now.
    package let body: RealtimeReply.Body

    /// The event of a change.
    ///
    /// - Parameters:
    ///   - place: Where the stream looks. A change is at it or below.
    ///   - withPriorities: Whether the stream asked for priorities. Else none is told.
    /// - Returns: `nil` if there is nothing to tell.
    package init?(_ change: PushedChange, at place: RealtimePath, withPriorities: Bool) {
        switch change {
        case .overwrite(let changed, let node):
            guard withPriorities || !changed.isPriority else { return nil }
            name = .put
            path = changed.dropFirst(place.depth)
            body = .node(node, withPriorities: withPriorities)
        case .merge(let base, let children):
            let told = children.filter { withPriorities || !$0.place.isPriority }
            guard !told.isEmpty else { return nil }
            name = .patch
            path = WritePath(base).dropFirst(place.depth)
            body = .children(told, withPriorities: withPriorities)
        case .ranges:
            // Only for clients that sent the hashes of ranges, as no stream does.
            return nil
        }
    }
}
