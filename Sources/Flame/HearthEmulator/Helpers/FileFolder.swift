import CLinux
import Glibc
import HearthModel
import Synchronization

/// The folder whose files requests may have written and read; what lies outside cannot be named.
///
/// The folder is held open from the start. Each part of a name is opened below the one before it and may
/// be no symbolic link, so whatever anybody moves or links meanwhile, nothing leads out. The parts must
/// be there; only the file itself may be new.
final class FileFolder: Sendable {
    /// The largest file that is read. What is imported is held in memory several times over.
    static let byteCountMax = 1 << 30

    /// The ways to write the folder's own place: as it was named, and without links.
    private let places: [[String]]
    private let descriptor: Int32
    private let draftCount = Atomic<Int>(0)

    /// Opens a folder.
    ///
    /// - Throws: `HearthError` `failedPrecondition` if there is none, with the system's reason.
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
    /// - Parameter path: Below the folder, or absolute and in it.
    /// - Throws: `HearthError`: `notFound`, `permissionDenied` for a name that leads out, or another.
    func read(_ path: String) throws(HearthError) -> [UInt8] {
        try inFolder(of: path) { folder, name throws(HearthError) in
            // Opening a pipe must not wait for somebody to write into it.
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

    /// Writes a file: whole, or not at all, whatever happens to the machine.
    ///
    /// - Parameter path: As for `read`.
    func write(_ bytes: [UInt8], to path: String) throws(HearthError) {
        try inFolder(of: path) { folder, name throws(HearthError) in
            // Two that write the same file at once do not write the same draft.
            let count = draftCount.add(1, ordering: .relaxed).newValue
            let draft = ".hearth-\(getpid())-\(count).part"
            guard clinux_replace_file_at(folder, draft, name, bytes, bytes.count, 0o666) == 0
            else { throw Self.failure("write", path) }
        }
    }

    /// Opens the folder that a path's last part lies in, while `body` works in it.
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
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= byteCountMax else {
                throw denied(path, "it has more than \(byteCountMax) bytes")
            }
        }
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
