import ArgumentParser
import Glibc

/// A child process of this program, spoken with line by line. It ends when its input does.
final class Child {
    private let input: UnsafeMutablePointer<FILE>
    private let output: UnsafeMutablePointer<FILE>
    private let process: pid_t

    init(_ arguments: [String]) throws {
        let (inputRead, inputWrite) = try Self.makePipe()
        let (outputRead, outputWrite) = try Self.makePipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, inputRead, 0)
        posix_spawn_file_actions_adddup2(&actions, outputWrite, 1)
        let path = "/proc/self/exe"
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        var process = pid_t()
        let result = posix_spawn(&process, path, &actions, nil, words, environ)
        posix_spawn_file_actions_destroy(&actions)
        for word in words { free(word) }
        close(inputRead)
        close(outputWrite)
        guard result == 0, let input = fdopen(inputWrite, "w"),
            let output = fdopen(outputRead, "r")
        else { throw ValidationError("A child did not start: errno \(result)") }
        self.input = input
        self.output = output
        self.process = process
    }

    deinit {
        fclose(input)
        kill(process, SIGTERM)
        waitpid(process, nil, 0)
        fclose(output)
    }

    /// Memory that the child holds now.
    var residentBytes: Int { Measurement.residentBytes(of: process) }

    func writeLine(_ line: String) throws {
        guard fputs(line + "\n", input) >= 0, fflush(input) == 0 else {
            throw ValidationError("A child does not read.")
        }
    }

    func readLine() throws -> String {
        var line = [CChar](repeating: 0, count: 4_096)
        guard fgets(&line, Int32(line.count), output) != nil else {
            throw ValidationError("A child ended.")
        }
        let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Says a line to the parent. Without stdio, whose lock a thread holds while it reads.
    static func say(_ line: String) {
        var bytes = Array((line + "\n").utf8)
        while !bytes.isEmpty {
            let count = write(1, bytes, bytes.count)
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }

    /// Ends that no other child inherits.
    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ValidationError("No pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
