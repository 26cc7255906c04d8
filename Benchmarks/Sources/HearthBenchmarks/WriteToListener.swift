import ArgumentParser
import Glibc
import Hearth

/// Writes in this process and is told by a listener in another when it has heard.
struct WriteToListener: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "write-to-listener")

    @OptionGroup var target: Target

    func run() async throws {
        let firestore = target.connect("bench-writer")
        let document = firestore.document("bench/signal")
        _ = try await document.setData(["sentAt": Int64(0)], until: .accepted)
        let listener = try Child(arguments: [
            "listener", "--socket", target.socket, "--daemon", "\(target.daemon)", "--count",
            "\(target.count)",
        ])
        _ = try listener.readLine()  // It is listening.
        let measured = try await Measurement.take(operations: target.count, target.daemon) {
            latencies in
            for _ in 0..<target.count {
                let sentAt = Clock.nanoseconds
                let data: [String: any Sendable] = ["sentAt": Int64(sentAt)]
                _ = try await document.setData(data, until: .accepted)
                guard let heardAt = UInt64(try listener.readLine()) else {
                    throw ValidationError("The listener said something else than a time.")
                }
                latencies.append(heardAt - sentAt)
            }
        }
        measured.report("write to a listener in another process")
    }
}

/// The other process: prints when it has heard of each write.
struct Listener: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "listener", shouldDisplay: false)

    @OptionGroup var target: Target

    func run() async throws {
        let document = target.connect("bench-listener").document("bench/signal")
        var last: Int?
        for try await snapshot in document.snapshots {
            let heardAt = Clock.nanoseconds
            guard let sentAt = snapshot.get("sentAt") as? Int, sentAt != last else { continue }
            print(last == nil ? "listening" : "\(heardAt)")
            fflush(nil)
            last = sentAt
        }
    }
}

/// A child process of this program, read line by line.
final class Child {
    private let output: UnsafeMutablePointer<FILE>
    private let process: pid_t

    init(arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ValidationError("No pipe: errno \(errno)") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        let path = "/proc/self/exe"
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        var process = pid_t()
        let result = posix_spawn(&process, path, &actions, nil, words, environ)
        posix_spawn_file_actions_destroy(&actions)
        for word in words { free(word) }
        close(ends[1])
        guard result == 0, let output = fdopen(ends[0], "r") else {
            throw ValidationError("The listener did not start: errno \(result)")
        }
        self.output = output
        self.process = process
    }

    deinit {
        kill(process, SIGTERM)
        waitpid(process, nil, 0)
        fclose(output)
    }

    func readLine() throws -> String {
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, output) != nil else {
            throw ValidationError("The listener ended.")
        }
        let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
