import CLinux
import Glibc
import HearthModel
import HearthSQLite
import Synchronization

/// The folder in which requests may have files written and read.
///
/// A request cannot name files outside.
///
/// The process holds the folder open from the start. `FileFolder` opens each part of a name below
/// the part before, and refuses symbolic links. So no name leads outside, even if somebody moves or
/// links folders meanwhile. All folders of a name must exist; only the file itself may be new.
final class FileFolder: Sendable {
    /// The largest file that `read` accepts.
    ///
    /// An import holds the file's data in memory several times over.
    static let byteCountMax = 1 << 30

    /// The folder's absolute paths: the path from the start, and the path without symbolic links.
    private let places: [[String]]
    private let descriptor: Int32
    private let draftCount = Atomic<Int>(0)

    /// Opens a folder.
    ///
    /// - Throws: `HearthError` `failedPrecondition` if the folder cannot be opened, with the
    ///   system's reason.
    init(_ path: String) throws(HearthError) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let real = realpath(path, nil) else {
            throw HearthError(
                code: .failedPrecondition,
                message: "Cannot open the folder \(path) for files: \(Self.reason).")
        }
        defer { free(real) }
        places = [path, String(cString: real)].filter { $0.utf8.first == Self.slash }
            .map(Self.parts)
    }

    deinit { close(descriptor) }

    /// The bytes of a file.
    ///
    /// - Parameter path: A path relative to the folder, or an absolute path inside the folder.
    /// - Throws: `HearthError`: `notFound`; `permissionDenied` for a name that leads outside, for
    ///   no plain file, or for a file that is too large; `failedPrecondition` for other failures.
    func read(_ path: String) throws(HearthError) -> [UInt8] {
        try inFolder(of: path) { folder, name throws(HearthError) in
            // Opening a pipe must not wait for a writer.
            let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { throw Self.failure("read", path) }
            defer { close(file) }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw Self.denied(path, "it is no file")
            }
            guard status.st_size <= Self.byteCountMax else {
                throw Self.denied(path, "it has more than \(Self.byteCountMax) bytes")
            }
            return try Self.bytes(of: file, path)
        }
    }

    /// Writes a file: whole, or not at all, even if the machine loses power.
    ///
    /// - Parameter path: As for `read`.
    /// - Throws: `HearthError`, as for `read`.
    func write(_ bytes: [UInt8], to path: String) throws(HearthError) {
        try inFolder(of: path) { folder, name throws(HearthError) in
            // Two requests that write the same file at once must not write the same draft.
            let count = draftCount.add(1, ordering: .relaxed).newValue
            let draft = ".hearth-\(getpid())-\(count).part"
            guard clinux_replace_file_at(folder, draft, name, bytes, bytes.count, 0o666) == 0
            else { throw Self.failure("write", path) }
        }
    }

    /// Opens the folder of a path's last part, and keeps the folder open while `body` runs.
    private func inFolder<Result>(
        of path: String, _ body: (Int32, String) throws(HearthError) -> Result
    ) throws(HearthError) -> Result {
        var parts = try relative(path)
        guard let name = parts.popLast() else { throw Self.denied(path, "it names no file") }
        var folder = descriptor
        defer { if folder != descriptor { close(folder) } }
        for part in parts {
            let next = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw Self.failure("open", path) }
            if folder != descriptor { close(folder) }
            folder = next
        }
        return try body(folder, name)
    }

    private func relative(_ path: String) throws(HearthError) -> [String] {
        let parts = Self.parts(path)
        guard !parts.contains("."), !parts.contains(".."), !path.utf8.contains(0) else {
            throw Self.denied(path, "it has a part that is no plain name")
        }
        guard path.utf8.first == Self.slash else { return parts }
        guard let place = places.first(where: { parts.starts(with: $0, by: utf8Equals) }) else {
            throw Self.denied(path, "it is not in the folder that was named at the start")
        }
        return Array(parts.dropFirst(place.count))
    }

    private static func bytes(of file: Int32, _ path: String) throws(HearthError) -> [UInt8] {
        guard let bytes = PlainFile.bytes(of: file, byteCountMax: byteCountMax) else {
            throw errno == EFBIG
                ? denied(path, "it has more than \(byteCountMax) bytes") : failure("read", path)
        }
        return bytes
    }

    private static let slash = UInt8(ascii: "/")

    private static func parts(_ path: String) -> [String] {
        path.utf8.split(separator: slash).map { String(Substring($0)) }
    }

    private static var reason: String { String(cString: strerror(errno)) }

    private static func failure(_ verb: String, _ path: String) -> HearthError {
        switch errno {
        case ELOOP: denied(path, "it leads over a symbolic link")
        case ENOENT:
            HearthError(code: .notFound, message: "Cannot \(verb) \(path): \(reason).")
        default:
            HearthError(code: .failedPrecondition, message: "Cannot \(verb) \(path): \(reason).")
        }
    }

    private static func denied(_ path: String, _ reason: String) -> HearthError {
        HearthError(
            code: .permissionDenied, message: "\(path) cannot be used as a file: \(reason).")
    }
}
