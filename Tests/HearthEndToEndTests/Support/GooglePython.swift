import HearthTestSupport

/// A Python that may have Google's own client of Firestore.
enum GooglePython {
    /// The interpreter.
    static let path = Judges.python

    /// Whether it has the client.
    static let isInstalled: Bool = {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let process = try? ChildProcess(
            path, ["-c", "import google.cloud.firestore"], log: folder.path + "/log")
        let isThere = process?.exitStatus() == 0
        if !isThere { print("SKIPPED: \(absence)") }
        return isThere
    }()

    /// Why tests are skipped.
    static let absence = "\(path) has no google-cloud-firestore"
}
