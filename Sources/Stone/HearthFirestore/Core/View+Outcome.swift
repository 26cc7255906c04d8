package import HearthModel

extension View {
    /// What a decided change does outside the view.
    package struct Outcome: Sendable {
        /// What listeners may be told; `nil` if nothing changed.
        package var snapshot: ViewSnapshot?
        /// Documents that came into limbo, by key.
        package let joinedLimbo: [DocumentKey]
        /// Documents that left limbo, by key.
        package let leftLimbo: [DocumentKey]
    }
}
