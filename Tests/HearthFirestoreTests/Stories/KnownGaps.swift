/// Stories that are known not to pass yet, and why. An entry that passes fails the tests, so that
/// it is taken out.
enum KnownGaps {
    /// The reason by the story's name.
    static let reasons: [String: String] = [:]
}
