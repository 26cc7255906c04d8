/// Why a story cannot be read.
package struct StoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where: the story, the step and the members on the way.
    package let place: String
    /// What is wrong there.
    package let reason: String

    /// Says what is wrong, and where.
    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { "\(place): \(reason)" }
}
