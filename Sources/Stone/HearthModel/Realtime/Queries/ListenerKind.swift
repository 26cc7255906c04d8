/// What a listener wants to hear.
package enum ListenerKind: Hashable, Sendable {
    /// All news.
    case observer
    /// Nothing: the data is only to be kept in step.
    case silent
}
