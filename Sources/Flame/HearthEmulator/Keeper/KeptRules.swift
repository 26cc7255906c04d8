/// The rules that a project was given while the emulator ran.
struct KeptRules: Equatable, Sendable {
    let project: String
    /// In the rules language.
    let source: String
    /// What a report calls the source. Not kept.
    var fileName = "firestore.rules"
}
