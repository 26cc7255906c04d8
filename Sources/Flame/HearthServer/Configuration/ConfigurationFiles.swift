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
    /// - Parameters:
    ///   - path: The configuration file. `conf.d` lies beside the file.
    ///   - mayBeMissing: Whether the file is the usual one, which nobody named.
    ///   - counting: The layers that count now; `nil` at the start. A pipe that was read before has
    ///     no text any more, and would pass for an empty file. A file that counts now and is gone
    ///     is a problem, since with the file the daemon would lose its access rules. A file that
    ///     counts now and has become blank is a problem too, since an editor may cut a file before
    ///     it writes the file. A part of `conf.d` without access rules may go.
    package static func read(
        _ path: String, mayBeMissing: Bool = false, after counting: [ConfigurationLayer]? = nil
    ) -> (layers: [ConfigurationLayer], problems: [ConfigurationProblem]) {
        var layers: [ConfigurationLayer] = []
        var problems: [ConfigurationProblem] = []
        let lost = VanishedFiles(counting ?? [])
        func take(_ file: String, takesPipe: Bool) {
            switch layer(file, takesPipe: takesPipe, isAgain: counting != nil, lost) {
            case .success(let layer): layers.append(layer)
            case .failure(let failure): problems.append(failure.problem)
            }
        }
        if !isMissing(path) {
            take(path, takesPipe: counting == nil)
        } else if let problem = lost.problem(ofFile: path, isNamed: !mayBeMissing) {
            problems.append(problem)
        } else if !mayBeMissing {
            problems.append(unread(path, ENOENT, isAgain: false))
        }
        switch parts(beside: path) {
        case .success(let parts):
            for part in parts ?? [] { take(part, takesPipe: false) }
            problems += lost.problems(ofParts: parts, in: folder(beside: path))
        case .failure(let failure): problems.append(failure.problem)
        }
        return (layers, problems)
    }

    private struct Failure: Error {
        let problem: ConfigurationProblem
    }

    /// What follows from a file that the start cannot read.
    private static let consequence = """
        Nothing of it counts. It may have access rules, so until it is mended, only root and the \
        daemon's own user may do anything.
        """

    /// Whether there is nothing at a path, not even a link that leads nowhere.
    private static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    private static func layer(
        _ path: String, takesPipe: Bool, isAgain: Bool, _ lost: VanishedFiles
    ) -> Result<ConfigurationLayer, Failure> {
        guard let text = text(path, takesPipe: takesPipe) else {
            return .failure(Failure(problem: unread(path, errno, isAgain: isAgain)))
        }
        if text.isBlank, let problem = lost.problem(ofEmptied: path) {
            return .failure(Failure(problem: problem))
        }
        do throws(TOMLReader.Failure) {
            return .success(try TOMLReader.layer(text, from: path))
        } catch {
            return .failure(
                Failure(
                    problem: ConfigurationProblem(
                        origin: path,
                        message: "The file is no TOML, \(error).", consequence: consequence)))
        }
    }

    /// Why a file could not be read.
    private static func unread(
        _ path: String, _ code: Int32, isAgain: Bool
    ) -> ConfigurationProblem {
        guard code == ESPIPE else {
            return ConfigurationProblem(
                origin: path,
                message: "The file cannot be read: \(String(cString: strerror(code))).",
                consequence: consequence)
        }
        return ConfigurationProblem(
            origin: path,
            message: isAgain
                ? "The file is a pipe, which can be read only once, at the start. Start the daemon "
                    + "with a file."
                : "The file is a pipe, whose writer the start would wait for.",
            consequence: consequence)
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

    /// The folder beside a file.
    private static func folder(beside path: String) -> String {
        (path.utf8LastIndex(of: "/").map { String(path[...$0]) } ?? "") + "conf.d"
    }

    /// The files of the folder beside a file, in the order of their names; `nil` if there is no folder.
    private static func parts(beside path: String) -> Result<[String]?, Failure> {
        let folder = folder(beside: path)
        if isMissing(folder) { return .success(nil) }
        guard let stream = opendir(folder) else {
            return .failure(
                Failure(
                    problem: ConfigurationProblem(
                        origin: folder, message: "The folder cannot be read: \(lastError()).",
                        consequence: consequence)))
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

extension String {
    /// Whether there is nothing but white space, behind a mark of the byte order if there is one.
    fileprivate var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0 == "\u{FEFF}" }
    }
}
