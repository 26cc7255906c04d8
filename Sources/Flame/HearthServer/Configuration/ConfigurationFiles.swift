import CLinux
import Glibc
import HearthModel
import HearthSQLite

/// Reads the configuration file and the folder `conf.d` beside it.
package enum ConfigurationFiles {
    /// Reads the layers in the order of precedence, and the problems of unreadable files.
    ///
    /// The file comes first, then `conf.d/*.toml` in the order of their names. Each layer overrides
    /// the earlier layers. No pipe counts, but at the start the file may be a pipe of a shell's
    /// `<(...)`.
    ///
    /// - Parameter isAgain: Whether the file was read before: the text of a pipe is gone then, and what is
    ///   left would pass for an empty file.
    package static func read(_ path: String, isAgain: Bool = false) -> (
        layers: [ConfigurationLayer], problems: [ConfigurationProblem]
    ) {
        var layers: [ConfigurationLayer] = []
        var problems: [ConfigurationProblem] = []
        func take(_ file: String, takesPipe: Bool) {
            switch layer(file, takesPipe: takesPipe, isAgain: isAgain) {
            case .success(let layer): layers.append(layer)
            case .failure(let failure): problems.append(failure.problem)
            }
        }
        take(path, takesPipe: !isAgain)
        switch parts(beside: path) {
        case .success(let parts): for part in parts { take(part, takesPipe: false) }
        case .failure(let failure): problems.append(failure.problem)
        }
        return (layers, problems)
    }

    private struct Failure: Error {
        let problem: ConfigurationProblem
    }

    private static func layer(
        _ path: String, takesPipe: Bool, isAgain: Bool
    ) -> Result<ConfigurationLayer, Failure> {
        guard let text = text(path, takesPipe: takesPipe) else {
            return .failure(Failure(problem: unread(path, errno, isAgain: isAgain)))
        }
        do throws(TOMLReader.Failure) {
            return .success(try TOMLReader.layer(text, from: path))
        } catch {
            return .failure(
                Failure(
                    problem: ConfigurationProblem(
                        origin: path,
                        message: "The file is no TOML, \(error).",
                        consequence: "Nothing of it counts.")))
        }
    }

    /// Why a file could not be read.
    private static func unread(
        _ path: String, _ code: Int32, isAgain: Bool
    ) -> ConfigurationProblem {
        guard code == ESPIPE else {
            return ConfigurationProblem(
                origin: path,
                message: "The file cannot be read: \(String(cString: strerror(code))).")
        }
        return ConfigurationProblem(
            origin: path,
            message: isAgain
                ? "The file is a pipe, which can be read only once, at the start. Start the daemon "
                    + "with a file."
                : "The file is a pipe, whose writer the start would wait for.",
            consequence: "Nothing of it counts.")
    }

    /// The text of a file; or `nil` with `errno` set, which is `ESPIPE` for a pipe that does not count.
    private static func text(_ path: String, takesPipe: Bool) -> String? {
        let descriptor = clinux_open_text(path, takesPipe ? 1 : 0)
        guard descriptor >= 0 else { return nil }
        let bytes = PlainFile.bytes(of: descriptor, byteCountMax: byteCountMax)
        let reason = errno
        close(descriptor)
        errno = reason
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The largest file that is read. Ten thousand access rules have about a MiB.
    private static let byteCountMax = 16 << 20

    /// The files of the folder beside a file, in the order of their names; none if there is no folder.
    private static func parts(beside path: String) -> Result<[String], Failure> {
        let parent = path.utf8LastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let folder = parent + "conf.d"
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return .success([]) }
            return .failure(
                Failure(
                    problem: ConfigurationProblem(
                        origin: folder, message: "The folder cannot be read: \(lastError()).")))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
        }
        return .success(names.sorted().map { "\(folder)/\($0)" })
    }
}
