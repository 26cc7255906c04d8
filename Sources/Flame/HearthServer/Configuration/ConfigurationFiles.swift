import Glibc
import HearthModel

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
        for file in [path] + parts(beside: path) {
            switch layer(file) {
            case .success(let layer): layers.append(layer)
            case .failure(let failure): problems.append(failure.problem)
            }
        }
        return (layers, problems)
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
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }

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
