import Glibc

/// Google's own emulator, a judge from outside: `HEARTH_GOOGLE_EMULATOR` names its jar.
package struct GoogleEmulator {
    private static let jar = getenv("HEARTH_GOOGLE_EMULATOR").map { String(cString: $0) }

    /// Whether this machine has it.
    package static let isInstalled: Bool = jar.map { access($0, R_OK) == 0 } ?? false

    /// Why the tests with it do not run.
    package static let absence = "HEARTH_GOOGLE_EMULATOR names no jar of Google's emulator"

    /// Runs it while `body` does, which is given its address as `HOST:PORT`.
    package static func run<Result>(
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        let port = try freePort()
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
        case noPort
    }

    /// A port that nobody listens at, as the system hands them out. Another may take it before Java
    /// does; then the emulator does not start, and says so.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.noPort }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard result else { throw Failure.noPort }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func readLine(of pipe: UnsafeMutablePointer<FILE>) -> String? {
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        guard getline(&line, &capacity, pipe) > 0, let line else { return nil }
        return String(String(cString: line).dropLast())
    }
}
