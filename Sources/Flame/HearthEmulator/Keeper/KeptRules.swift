/// The rules that a client set for a project while the emulator ran.
struct KeptRules: Equatable, Sendable {
    let project: String
    /// In the rules language.
    let source: String
    /// The source's name in reports. The folder does not keep the name.
    var fileName = "firestore.rules"
}
