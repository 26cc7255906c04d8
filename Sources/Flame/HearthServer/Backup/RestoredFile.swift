import CLinux
import Glibc
import HearthSQLite

/// Files of a restore, whole and on the disk.
enum RestoredFile {
    /// Writes a file that only its owner may read.
    static func write(_ bytes: [UInt8], to path: String) throws(BackupError) {
        let descriptor = try make(path)
        defer { close(descriptor) }
        try append(bytes, to: descriptor, at: path)
        guard fsync(descriptor) == 0 else { throw error("syncing \(path)") }
    }

    /// Makes an empty file that only its owner may read, in the place of an older one.
    static func make(_ path: String) throws(BackupError) -> Int32 {
        unlink(path)  // A link that somebody left there must not lead anywhere.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw error("making \(path)") }
        return descriptor
    }

    /// Adds bytes to an open file.
    static func append(
        _ bytes: [UInt8], to descriptor: Int32, at path: String
    ) throws(BackupError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw error("writing \(path)") }
            rest = rest.dropFirst(count)
        }
    }

    /// A whole file; `nil` if there is none.
    static func read(_ path: String, byteCountMax: Int) throws(BackupError) -> [UInt8]? {
        let descriptor = try PlainFile.open(path, O_RDONLY, refuse: BackupError.io)
        if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        guard descriptor >= 0 else { throw error("opening \(path)") }
        defer { close(descriptor) }
        guard let bytes = PlainFile.bytes(of: descriptor, byteCountMax: byteCountMax) else {
            throw errno == EFBIG
                ? BackupError.damaged("\(path) is too long") : error("reading \(path)")
        }
        return bytes
    }

    /// Has the names in a file's folder last.
    static func syncFolder(of path: String) throws(BackupError) {
        guard clinux_sync_folder_of(path) == 0 else { throw error("syncing the folder of \(path)") }
    }

    /// Has a file's bytes last.
    static func sync(_ path: String) throws(BackupError) {
        let descriptor = try PlainFile.open(path, O_RDONLY, refuse: BackupError.io)
        guard descriptor >= 0 else { throw error("opening \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw error("syncing \(path)") }
    }

    /// The error of the last failed call.
    static func error(_ what: String) -> BackupError {
        .io("\(String(cString: strerror(errno))) when \(what)")
    }
}
