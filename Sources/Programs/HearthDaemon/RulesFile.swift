import CLinux
import Glibc
import HearthModel
import HearthRules

/// A file of security rules.
enum RulesFile {
    /// The source that a file holds.
    ///
    /// - Throws: `HearthError` that names the file: it cannot be read, is too large, or is no text.
    static func read(_ path: String) throws(HearthError) -> String {
        let descriptor = clinux_open_input(path)
        guard descriptor >= 0, let file = fdopen(descriptor, "r") else {
            throw error(path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        let byteCountMax = RulesLimits.sourceByteCountMax
        var bytes = [UInt8](repeating: 0, count: byteCountMax + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw error(path, "cannot be read") }
        guard count <= byteCountMax else {
            throw error(path, "has more than \(byteCountMax) bytes")
        }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw error(path, "is not UTF-8")
        }
        return text
    }

    private static func error(_ path: String, _ reason: String) -> HearthError {
        HearthError(code: .invalidArgument, message: "The rules file \(path) \(reason).")
    }
}
