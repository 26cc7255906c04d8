import Glibc

/// Google's own emulator, a judge from outside: `HEARTH_GOOGLE_EMULATOR` names its jar.
package struct GoogleEmulator {
    private static let jar = getenv("HEARTH_GOOGLE_EMULATOR").map { String(cString: $0) }

    /// Whether this machine has it.
    package static let isInstalled: Bool = jar.map { access($0, R_OK) == 0 } ?? false

    /// Why the tests with it do not run.
    package static let absence = "HEARTH_GOOGLE_EMULATOR names no jar of Google's emulator"

    /// Runs it while `body` does, which is given its address as `HOST:PORT`.
    ///
    /// - Throws: `Failure` if it does not run within a minute.
    package static func run<Result>(
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        let folder = TemporaryFolder()
        let log = "\(folder.path)/google.log"
        let port = try freePort()
        let main = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
        // What it tells goes to a file: a pipe that nobody reads would hold it up when full. It ends
        // when the shell's input does, so it does not outlive us however we end.
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
        /// The system has no port for it.
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

    private static func text(of path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
