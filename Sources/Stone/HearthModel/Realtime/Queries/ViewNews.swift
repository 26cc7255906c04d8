/// The news of one view, for all its listeners.
///
/// A listener that holds the view's node as of the news before applies the changes to it, and so
/// has the node that the view shows now.
package struct ViewNews: Hashable, Sendable {
    /// What the view shows now.
    package enum Content: Hashable, Sendable {
        /// The whole node: for a new listener, or where the whole is less than the changes.
        case whole(Node)
        /// The places hold the given nodes now, in this order; places count from the view's.
        case changes([Placed])
    }

    /// A place below the view's, with the node there.
    package struct Placed: Hashable, Sendable {
        /// The way from the view's place.
        package let place: WritePath
        /// The node there now; empty if there is none.
        package let node: Node

        /// Says what is where.
        package init(_ place: WritePath, _ node: Node) {
            self.place = place
            self.node = node
        }
    }

    /// What the view shows.
    package let target: ListenTarget
    /// What changed.
    package let content: Content
    /// Whether the whole result is known.
    package let isComplete: Bool
    /// Whether listeners to the value are told: the result is known wholly, and has changed or just
    /// become known.
    package let isValueTold: Bool
    /// Whether the content is only the first children of the view's node, and the whole node is the
    /// next news. Nothing to a listener that has heard anything of the view.
    package let isBeginning: Bool

    /// Tells the news.
    ///
    /// - Parameters:
    ///   - target: What the view shows.
    ///   - content: What changed.
    ///   - isComplete: Whether the whole result is known.
    ///   - isValueTold: Whether listeners to the value are told: the result is known wholly, and
    ///     has changed or just become known.
    ///   - isBeginning: Whether the content is only the first children of the view's node, and the
    ///     whole node is the next news.
    package init(
        _ target: ListenTarget, _ content: Content, isComplete: Bool, isValueTold: Bool,
        isBeginning: Bool = false
    ) {
        self.target = target
        self.content = content
        self.isComplete = isComplete
        self.isValueTold = isValueTold
        self.isBeginning = isBeginning
    }
}
