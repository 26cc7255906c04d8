/// Why a record cannot be imported.
struct ImportProblem: Error, Hashable {
    /// What is wrong with it.
    let reason: String
}
