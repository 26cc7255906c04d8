import Glibc
import HearthModel

/// Files that are read and written in one go.
enum WholeFile {
    /// The bytes of a file.
    ///
    /// - Throws: `notFound` or another code, with the path and the system's reason.
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

    /// Writes a file: whole, or not at all.
    static func write(_ bytes: [UInt8], to path: String) throws(HearthError) {
        let draft = "\(path).\(getpid()).part"
        guard let file = fopen(draft, "wb") else { throw failure("write", draft) }
        let isWritten =
            fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0
            && fsync(fileno(file)) == 0
        let isClosed = fclose(file) == 0
        guard isWritten, isClosed, rename(draft, path) == 0 else {
            let error = failure("write", path)
            unlink(draft)
            throw error
        }
    }

    private static func failure(_ verb: String, _ path: String) -> HearthError {
        let reason = String(cString: strerror(errno))
        return HearthError(
            code: verb == "read" && errno == ENOENT ? .notFound : .failedPrecondition,
            message: "Cannot \(verb) \(path): \(reason).")
    }
}
