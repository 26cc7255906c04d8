import Foundation
import HearthTestSupport

/// A Python that may have Google's own client of Firestore.
///
/// `HEARTH_PYTHON` names the interpreter; the machine's own otherwise.
enum GooglePython {
    /// The interpreter.
    static let path = ProcessInfo.processInfo.environment["HEARTH_PYTHON"] ?? "/usr/bin/python3"

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
