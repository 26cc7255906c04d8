import HearthModel

/// The kinds of event that an observer can ask for.
public enum DataEventType: Int, Hashable, Sendable, CaseIterable {
    /// A child is there: each child at first, later each new one.
    case childAdded = 0
    /// A child is gone. The event carries the child as it was.
    case childRemoved = 1
    /// A child has changed, or a place below it.
    case childChanged = 2
    /// The value that the query sorts by has changed, and the child may stand elsewhere.
    case childMoved = 3
    /// The whole value: at first, and after every change.
    case value = 4
}

/// Names an observer, so that the observer can be removed. Never 0.
public typealias DatabaseHandle = UInt

extension DataEventType {
    /// The kind of an event of the model.
    init(_ kind: RealtimeEvent.Kind) {
        self =
            switch kind {
            case .childAdded: .childAdded
            case .childRemoved: .childRemoved
            case .childChanged: .childChanged
            case .childMoved: .childMoved
            case .value: .value
            }
    }
}
