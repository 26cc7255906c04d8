/// Stories that are known not to pass yet, and why. An entry that passes fails the tests, so that
/// somebody removes the entry.
enum KnownGaps {
    /// The reason by the story's name.
    static let reasons: [String: String] = [:]
}
