import Glibc
import Synchronization

/// A process of the package's own, killed at the latest when the test ends.
final class ChildProcess: Sendable {
    private struct Failed: Error {
        let path: String
        let reason: String
    }

    private let pid: Mutex<pid_t?>

    /// Programs that the tests start get the same settings of Scripts/sanitize as the tests.
    private static let watch: [String] = {
        let names = ["ASAN_OPTIONS", "TSAN_OPTIONS", "LD_PRELOAD"]
        return names.compactMap { name -> String? in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
    }()

    /// Starts an executable beside the tests, or an executable at a path.
    ///
    /// - Parameters:
    ///   - log: The file that standard error is appended to.
    ///   - input: The file that standard input is read from; ours if `nil`.
    ///   - output: The file that standard output is appended to; ours if `nil`.
    ///   - launcher: A program with arguments that starts the executable; none if empty.
    ///   - environment: The whole environment of the program, as `NAME=value`, except `watch`.
    init(
        _ name: String, _ arguments: [String], log: String, input: String? = nil,
        output: String? = nil, launcher: [String] = [], environment: [String] = []
    ) throws {
        let program = name.hasPrefix("/") ? name : try Self.buildFolder() + "/" + name
        let line = launcher + [program] + arguments
        let path = line[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if let input { posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0) }
        if let output {
            posix_spawn_file_actions_addopen(
                &actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        var attributes = Self.hearingSignals()
        defer { posix_spawnattr_destroy(&attributes) }
        var words = line.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var variables = (["HOME=/nonexistent"] + Self.watch + environment).map { strdup($0) }
        variables.append(nil)
        defer { for variable in variables { free(variable) } }
        var child: pid_t = 0
        let result = posix_spawn(&child, path, &actions, &attributes, &words, &variables)
        guard result == 0 else {
            throw Failed(path: path, reason: String(cString: strerror(result)))
        }
        pid = Mutex(child)
    }

    deinit { end(SIGKILL) }

    /// Attributes of a process that hears every signal; destroy the attributes after use.
    ///
    /// The threads of Swift's tasks block most signals, and a process inherits the mask of the
    /// thread that starts the process: a program that does not unblock SIGTERM would never end.
    private static func hearingSignals() -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        return attributes
    }

    /// Sends the process a signal that does not end it.
    func signal(_ number: Int32) {
        pid.withLock { if let pid = $0 { _ = kill(pid, number) } }
    }

    /// The processor's time that the process has used; `nil` if it has ended.
    var processorTime: Duration? {
        guard let pid = pid.withLock({ $0 }), let file = fopen("/proc/\(pid)/stat", "r") else {
            return nil
        }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 1_024)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        // The name may hold spaces; user's and system's ticks are the 12th and 13th words behind it.
        guard let name = text.lastIndex(of: ")") else { return nil }
        let words = text[text.index(after: name)...].split(separator: " ")
        guard words.count > 12, let user = Int(words[11]), let system = Int(words[12]) else {
            return nil
        }
        return .seconds(1) * (user + system) / sysconf(Int32(_SC_CLK_TCK))
    }

    /// Ends the process as a power cut would.
    func kill9() { end(SIGKILL) }

    /// Asks the process to end, and returns its exit status when it has; -1 if a signal ended it.
    @discardableResult
    func terminate() -> Int32 { end(SIGTERM) }

    /// Returns the exit status of a process that ends by itself; -1 if it does not within a minute.
    func exitStatus() -> Int32 { end(0) }

    @discardableResult
    private func end(_ signal: Int32) -> Int32 {
        guard
            let child = pid.withLock({ pid in
                defer { pid = nil }
                return pid
            })
        else { return 0 }
        kill(child, signal)
        var status: Int32 = 0
        let deadline = ContinuousClock.now + .seconds(60)
        while waitpid(child, &status, WNOHANG) == 0 {
            usleep(5_000)
            if ContinuousClock.now > deadline { kill(child, SIGKILL) }  // Its status is then -1.
        }
        return status & 0x7F == 0 ? status >> 8 : -1
    }

    /// The folder of the test bundle, where the products lie too.
    static func buildFolder() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else {
            throw Failed(path: "/proc/self/exe", reason: String(cString: strerror(errno)))
        }
        let path = String(
            decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
