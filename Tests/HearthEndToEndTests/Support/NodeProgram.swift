import Foundation
import HearthTestSupport

/// The machine's own Node, without any package.
enum NodeProgram {
    /// The interpreter; `nil` where there is none.
    static let path: String? = {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin"
        let found = folders.split(separator: ":").map { "\($0)/node" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        if found == nil { print("SKIPPED: \(absence)") }
        return found
    }()

    /// Why tests are skipped.
    static let absence = "this machine has no node"
}
