import Glibc

/// Google's own emulator, a judge from outside: `HEARTH_GOOGLE_EMULATOR` names its jar.
package struct GoogleEmulator {
    private static let jar = getenv("HEARTH_GOOGLE_EMULATOR").map { String(cString: $0) }

    /// Whether this machine has it.
    package static let isInstalled: Bool = jar.map { access($0, R_OK) == 0 } ?? false

    /// Why the tests with it do not run.
    package static let absence = "HEARTH_GOOGLE_EMULATOR names no jar of Google's emulator"

    /// Runs the emulator while `body` runs, and gives `body` the address as `HOST:PORT`.
    ///
    /// - Throws: `Failure` if it does not run within a minute.
    package static func run<Result>(
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        let folder = TemporaryFolder()
        let log = "\(folder.path)/google.log"
        let port = try LoopbackPort.free()
        let main = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
        // What it tells goes to a file: a pipe that nobody reads would hold it up when full. The
        // emulator ends when the shell's input ends, so it does not outlive the tests however they
        // end.
        let line =
            "exec >'\(log)' 2>&1; java -Duser.language=en -cp '\(jar ?? "")' \(main) start "
            + "--host=127.0.0.1 --port=\(port) </dev/null & cat; kill -9 $!; wait"
        guard let pipe = popen(line, "we") else { throw Failure.notStarted("no process") }
        defer { pclose(pipe) }
        do {
            _ = try await eventually({ text(of: log) }, is: { $0.contains("is now running") })
        } catch let late as TooLate {
            throw Failure.notStarted(late.last)
        }
        return try await body("127.0.0.1:\(port)")
    }

    /// Why it does not run.
    package enum Failure: Error {
        /// It said this instead of being ready.
        case notStarted(String)
    }

    private static func text(of path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
