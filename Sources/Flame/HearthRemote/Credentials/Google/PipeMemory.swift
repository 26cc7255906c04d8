import Glibc
import HearthModel
import Synchronization

/// The bytes of pipes that stand in the place of files with credentials, such as a shell's
/// `<(...)`.
///
/// A pipe can be read only once, and each token needs the credentials again. So what a pipe held is kept until
/// the process ends. A file is never kept, so that a mended file counts.
final class PipeMemory: Sendable {
    /// The pipes of this process.
    static let ofProcess = PipeMemory()

    /// A pipe, whatever its path.
    private struct Pipe: Hashable {
        let device: UInt64
        let inode: UInt64

        /// Finds the pipe at a path; `nil` if there is something else, or nothing.
        init?(at path: String) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    private let held = Mutex<[Pipe: [UInt8]]>([:])

    /// Whether a path leads to a pipe, read or not.
    static func isPipe(_ path: String) -> Bool { Pipe(at: path) != nil }

    /// Whether a path leads to a pipe that was not read yet.
    func isUnreadPipe(_ path: String) -> Bool {
        guard let pipe = Pipe(at: path) else { return false }
        return held.withLock { $0[pipe] == nil }
    }

    /// The bytes at a path: the bytes that the pipe had, or the bytes that `read` finds in a file.
    ///
    /// While one pipe is read, others wait. A pipe that holds nothing is not kept.
    func bytes(
        of path: String, _ read: () throws(HearthError) -> [UInt8]
    ) throws(HearthError) -> [UInt8] {
        guard let pipe = Pipe(at: path) else { return try read() }
        let result = held.withLock { held -> Result<[UInt8], HearthError> in
            if let bytes = held[pipe] { return .success(bytes) }
            do throws(HearthError) {
                let bytes = try read()
                guard !bytes.isEmpty else { return .failure(.key(path, Self.emptiness)) }
                held[pipe] = bytes
                return .success(bytes)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static let emptiness = """
        It is a pipe with nothing in it; a pipe can be read only once. Name a file, or start the \
        daemon with a new pipe.
        """
}
