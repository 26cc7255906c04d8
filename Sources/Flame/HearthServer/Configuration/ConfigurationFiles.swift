import CLinux
import Glibc
import HearthModel
import HearthSQLite

/// Reads the configuration file and the folder `conf.d` beside it.
package enum ConfigurationFiles {
    /// Reads the layers in the order of precedence, and the problems of unreadable files.
    ///
    /// The file comes first, then `conf.d/*.toml` in the order of their names. Each layer overrides
    /// the earlier layers.
    package static func read(_ path: String) -> (
        layers: [ConfigurationLayer], problems: [ConfigurationProblem]
    ) {
        var layers: [ConfigurationLayer] = []
        var problems: [ConfigurationProblem] = []
        let parts = parts(beside: path)
        for pipe in parts.filter(isPipe) {
            problems.append(
                ConfigurationProblem(
                    origin: pipe,
                    message: "The file is a pipe, whose writer the start would wait for.",
                    consequence: "Nothing of it counts."))
        }
        for file in [path] + parts.filter({ !isPipe($0) }) {
            switch layer(file) {
            case .success(let layer): layers.append(layer)
            case .failure(let failure): problems.append(failure.problem)
            }
        }
        return (layers, problems)
    }

    /// Whether a path leads to a pipe. Whoever names a pipe on the command line also writes to the pipe.
    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    private struct Failure: Error {
        let problem: ConfigurationProblem
    }

    private static func layer(_ path: String) -> Result<ConfigurationLayer, Failure> {
        guard let text = text(path) else {
            return .failure(
                Failure(
                    problem: ConfigurationProblem(
                        origin: path, message: "The file cannot be read: \(lastError()).")))
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

    private static func text(_ path: String) -> String? {
        let descriptor = clinux_open_input(path)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return PlainFile.bytes(of: descriptor, byteCountMax: byteCountMax).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The largest file that is read. Ten thousand access rules have about a MiB.
    private static let byteCountMax = 16 << 20

    private static func parts(beside path: String) -> [String] {
        let parent = path.utf8LastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let folder = parent + "conf.d"
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted().map { "\(folder)/\($0)" }
    }
}
