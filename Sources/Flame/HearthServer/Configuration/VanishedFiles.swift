import HearthModel

/// The files whose values count in a running daemon. A reload looks for files among them that are
/// gone or empty.
///
/// A file that is gone or empty looks like a file that never was. The daemon would take back all that the file says, and
/// with the access rules every user whom the client socket admits would read and write.
struct VanishedFiles {
    private let counting: [ConfigurationLayer]

    /// Takes the layers that count. A file without a value may always go.
    init(_ counting: [ConfigurationLayer]) {
        self.counting = counting.filter { !$0.values.isEmpty }
    }

    /// What is wrong if the file itself is gone; `nil` if nothing of the file counts.
    ///
    /// - Parameter isNamed: Whether somebody named the file at the start.
    func problem(ofFile path: String, isNamed: Bool) -> ConfigurationProblem? {
        guard counting.contains(where: { utf8Equals($0.origin, path) }) else { return nil }
        let cure =
            isNamed
            ? "To go on without it, start the daemon without --config."
            : "To go on without it, restart the daemon."
        return ConfigurationProblem(
            origin: path,
            message: "The file counts, and is gone. Put it back, or put a file with a comment line "
                + "in its place to take back what it says. \(cure)")
    }

    /// What is wrong if a file has nothing but white space; `nil` if nothing of the file counts.
    ///
    /// Many programs cut a file before they write it, and a reload may come in between.
    func problem(ofEmptied path: String) -> ConfigurationProblem? {
        guard counting.contains(where: { utf8Equals($0.origin, path) }) else { return nil }
        return ConfigurationProblem(
            origin: path,
            message: "The file counts, and is empty now, as while it is written. To take back what "
                + "it says, leave a comment line in it, such as \"# nothing\".")
    }

    /// What is wrong with the parts that are gone.
    ///
    /// Who takes a part away takes back what the part says. Only access rules need a second word, and the
    /// folder as a whole, which nobody takes away for a part's sake.
    ///
    /// - Parameter parts: The parts that are there; `nil` if the folder is gone.
    func problems(ofParts parts: [String]?, in folder: String) -> [ConfigurationProblem] {
        let old = counting.filter { $0.origin.utf8.starts(with: "\(folder)/".utf8) }
        guard let parts else {
            guard !old.isEmpty else { return [] }
            return [
                ConfigurationProblem(
                    origin: folder,
                    message:
                        "The folder is gone, and files in it count. Put it back, empty if what "
                        + "they say is to be taken back. To go on without it, restart the daemon.")
            ]
        }
        let found = Set(parts.map(UTF8Text.init))
        let lost = old.filter { $0.hasAccessRules && !found.contains(UTF8Text($0.origin)) }
        return lost.map { part in
            ConfigurationProblem(
                origin: part.origin,
                message: "The file is gone, and its access rules count. Put it back, or put a "
                    + "file with a comment line in its place to take them back, which may go then. "
                    + "To go on without it, restart the daemon.")
        }
    }
}
