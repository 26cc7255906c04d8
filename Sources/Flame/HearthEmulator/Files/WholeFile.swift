import CLinux
import Glibc
import HearthModel
import HearthSQLite

/// Reads and writes whole files.
enum WholeFile {
    /// The largest file that is read: memory has all of the file's bytes, and what is read from the
    /// bytes.
    static let byteCountMax = 2 << 30

    /// The bytes of a file or a pipe.
    ///
    /// - Throws: `notFound` or `failedPrecondition`, with the path and the system's reason.
    static func read(_ path: String) throws(HearthError) -> [UInt8] {
        let descriptor = clinux_open_input(path)
        guard descriptor >= 0 else { throw failure("read", path) }
        defer { close(descriptor) }
        guard let bytes = PlainFile.bytes(of: descriptor, byteCountMax: byteCountMax) else {
            throw failure("read", path)
        }
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
