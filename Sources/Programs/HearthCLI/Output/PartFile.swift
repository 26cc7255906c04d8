import CLinux
import Glibc
import Synchronization

/// A file that gets its name when all bytes are written.
///
/// Until then the file has no name, so nothing is left of a run that is killed. Where the file system
/// knows no files without a name, the file lies at `PATH.part`, which the next run of the same user to
/// `PATH` removes: whoever writes a part holds its lock.
final class PartFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// Whether `PATH.part` is this file.
    private let isAtPart: Atomic<Bool>

    private var partPath: String { path + ".part" }

    /// Begins a file that will replace the file of the same name.
    ///
    /// - Parameter mode: Who may use the file, less what the process's mask takes away.
    /// - Throws: `Failure` if it cannot be made, or something that is no file has the name, or something
    ///   that no killed run left has the name of the part.
    init(_ path: String, mode: mode_t) throws(Failure) {
        try OutputFile.checkPlace(path)
        try Self.removeLeftover(path + ".part")
        let made = try Self.make(path, mode)
        self.path = path
        descriptor = made.descriptor
        isAtPart = Atomic(made.hasName)
    }

    deinit {
        removePart()
        close(descriptor)
    }

    /// Adds bytes.
    func append(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        try OutputFile.write(bytes, to: descriptor, named: path)
    }

    /// Has the file last, under its name.
    func finish() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw OutputFile.failure(path) }
        if !isAtPart.load(ordering: .relaxed) {
            // A link cannot replace a file, so the file has the name of a part for a moment.
            let own = "/proc/self/fd/\(descriptor)"
            guard linkat(AT_FDCWD, own, AT_FDCWD, partPath, AT_SYMLINK_FOLLOW) == 0 else {
                throw OutputFile.failure(partPath)
            }
            isAtPart.store(true, ordering: .relaxed)
        }
        guard rename(partPath, path) == 0 else {
            let failure = OutputFile.failure(path)
            removePart()
            throw failure
        }
        isAtPart.store(false, ordering: .relaxed)
        guard clinux_sync_folder_of(path) == 0 else { throw OutputFile.failure(path) }
    }

    private func removePart() {
        guard isAtPart.exchange(false, ordering: .relaxed) else { return }
        unlink(partPath)
    }

    // MARK: Making it

    /// How often a part is made anew that another run took before it was locked.
    private static let makingCountMax = 16

    /// Makes the file and takes its lock, without a name if that can be.
    private static func make(
        _ path: String, _ mode: mode_t
    ) throws(Failure) -> (descriptor: Int32, hasName: Bool) {
        // The name is given through /proc, which must be there.
        if access("/proc/self/fd", X_OK) == 0 {
            let made = open(folder(of: path), nameless | O_WRONLY | O_CLOEXEC, mode)
            if made >= 0 {
                _ = flock(made, LOCK_EX | LOCK_NB)
                return (made, false)
            }
        }
        let part = path + ".part"
        for _ in 0..<makingCountMax {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
            let made = open(part, flags, mode)
            guard made >= 0 else { throw OutputFile.failure(part) }
            _ = flock(made, LOCK_EX | LOCK_NB)
            if isFile(made, at: part) { return (made, true) }
            close(made)  // Race: another run took it for a leftover before it was locked.
        }
        throw inTheWay(part)
    }

    /// Removes a part that a killed run of this user left.
    ///
    /// - Throws: `Failure` if there is anything else: it is not ours to remove.
    private static func removeLeftover(_ part: String) throws(Failure) {
        var status = stat()
        guard lstat(part, &status) == 0 else { return }  // To make it tells of other errors.
        guard isLeftover(status) else { throw inTheWay(part) }
        let found = open(part, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        if found < 0, errno == ENOENT { return }
        guard found >= 0 else { throw OutputFile.failure(part) }
        defer { close(found) }
        guard fstat(found, &status) == 0, isLeftover(status),
            flock(found, LOCK_EX | LOCK_NB) == 0
        else { throw inTheWay(part) }
        if isFile(found, at: part) { unlink(part) }
    }

    /// Whether a file may be a part of this user.
    private static func isLeftover(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }

    /// Whether a path leads to an open file: meanwhile the file may have been removed or renamed.
    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0
            && held.st_dev == named.st_dev && held.st_ino == named.st_ino
    }

    private static func inTheWay(_ part: String) -> Failure {
        Failure(
            .failed,
            "Cannot write \(part): another run writes it, or it is no file of yours. Wait for the run, "
                + "or remove what is there.")
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// `O_TMPFILE`, whose macro Swift does not import.
    private static let nameless = 0o20_000_000 | O_DIRECTORY
}
