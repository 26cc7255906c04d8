import CLinux
import Glibc

/// A file that appears under its name when it is whole.
///
/// Until then the file has no name, so nothing is left of a run that is killed. Where the file system
/// knows no files without a name, the file lies at `PATH.part`, which the next run to `PATH` removes.
final class PartFile: Sendable {
    private let path: String
    private let descriptor: Int32
    private let hasName: Bool

    private var partPath: String { path + ".part" }

    /// Begins a file that will replace the file of the same name.
    ///
    /// - Parameter mode: Who may use the file, less what the process's mask takes away.
    /// - Throws: `Failure` if it cannot be made, or something that is no file has the name.
    init(_ path: String, mode: mode_t) throws(Failure) {
        try OutputFile.checkPlace(path)
        self.path = path
        unlink(path + ".part")  // Of a run that was killed.
        // The name is given through /proc, which must be there.
        let nameless =
            access("/proc/self/fd", X_OK) == 0
            ? open(Self.folder(of: path), Self.nameless | O_WRONLY | O_CLOEXEC, mode) : -1
        if nameless >= 0 {
            descriptor = nameless
            hasName = false
            return
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        descriptor = open(path + ".part", flags, mode)
        hasName = true
        guard descriptor >= 0 else { throw OutputFile.failure(path + ".part") }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if hasName { unlink(partPath) }  // Gone already, if it was finished.
    }

    /// Adds bytes.
    func append(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        try OutputFile.write(bytes, to: descriptor, named: path)
    }

    /// Has the file last, under its name.
    func finish() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw OutputFile.failure(path) }
        if !hasName {
            // A link cannot replace a file, so the file has the name of a part for a moment.
            let own = "/proc/self/fd/\(descriptor)"
            guard linkat(AT_FDCWD, own, AT_FDCWD, partPath, AT_SYMLINK_FOLLOW) == 0 else {
                throw OutputFile.failure(partPath)
            }
        }
        guard clinux_put_in_place(partPath, path) == 0 else {
            let failure = OutputFile.failure(path)
            unlink(partPath)
            throw failure
        }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// `O_TMPFILE`, whose macro Swift does not import.
    private static let nameless = 0o20_000_000 | O_DIRECTORY
}
