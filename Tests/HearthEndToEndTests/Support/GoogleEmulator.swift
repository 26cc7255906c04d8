import Glibc

/// Google's own emulator, a judge from outside: `HEARTH_GOOGLE_EMULATOR` names its jar.
struct GoogleEmulator {
    private static let jar = getenv("HEARTH_GOOGLE_EMULATOR").map { String(cString: $0) }

    /// Whether this machine has it.
    static let isInstalled: Bool = jar.map { access($0, R_OK) == 0 } ?? false

    /// Why the tests with it do not run.
    static let absence = "HEARTH_GOOGLE_EMULATOR names no jar of Google's emulator"

    /// Runs it while `body` does.
    static func run<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let port = Int.random(in: 20_000..<30_000)
        let main = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
        // The shell tells its number and becomes Java, so that we can end it.
        let line =
            "echo $$; exec java -Duser.language=en -cp '\(jar ?? "")' \(main) start "
            + "--host=127.0.0.1 --port=\(port) 2>&1"
        guard let pipe = popen(line, "r") else { throw Failure.notStarted }
        guard let first = readLine(of: pipe), let process = pid_t(first) else {
            throw Failure.notStarted
        }
        defer {
            kill(process, SIGKILL)
            pclose(pipe)
        }
        repeat {
            guard let line = readLine(of: pipe) else { throw Failure.notStarted }
            if line.contains("is now running") { break }
        } while true
        return try await body("127.0.0.1:\(port)")
    }

    private enum Failure: Error {
        case notStarted
    }

    private static func readLine(of pipe: UnsafeMutablePointer<FILE>) -> String? {
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        guard getline(&line, &capacity, pipe) > 0, let line else { return nil }
        return String(String(cString: line).dropLast())
    }
}
