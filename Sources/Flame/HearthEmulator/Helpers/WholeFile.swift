import CLinux
import Glibc
import HearthModel

/// Reads and writes whole files.
enum WholeFile {
    /// The bytes of a file.
    ///
    /// - Throws: `notFound` or `failedPrecondition`, with the path and the system's reason.
    static func read(_ path: String) throws(HearthError) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw failure("read", path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        guard ferror(file) == 0 else { throw failure("read", path) }
        return bytes
    }

    /// Writes a file: whole, or not at all, even if the machine loses power.
    ///
    /// - Throws: `failedPrecondition`, with the path and the system's reason.
    static func write(_ bytes: [UInt8], to path: String) throws(HearthError) {
        guard clinux_replace_file(path, bytes, bytes.count, 0o666) == 0 else {
            throw failure("write", path)
        }
    }

    private static func failure(_ verb: String, _ path: String) -> HearthError {
        let reason = String(cString: strerror(errno))
        return HearthError(
            code: verb == "read" && errno == ENOENT ? .notFound : .failedPrecondition,
            message: "Cannot \(verb) \(path): \(reason).")
    }
}
