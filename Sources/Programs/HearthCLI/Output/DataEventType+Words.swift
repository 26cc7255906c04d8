import Hearth

extension DataEventType {
    /// The kind, for programs.
    var word: String {
        switch self {
        case .value: "value"
        case .childAdded: "childAdded"
        case .childChanged: "childChanged"
        case .childMoved: "childMoved"
        case .childRemoved: "childRemoved"
        }
    }

    /// The kind, for people.
    var sign: String {
        switch self {
        case .value: "="
        case .childAdded: "+"
        case .childChanged: "~"
        case .childMoved: ">"
        case .childRemoved: "-"
        }
    }
}
