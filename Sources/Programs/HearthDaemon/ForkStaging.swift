import Glibc
import HearthModel
import HearthSQLite

/// Why there is no fork.
struct ForkError: Error {
    /// A sentence, and what would help.
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The error of the last failed call.
    init(_ verb: String, _ path: String) {
        self.init("Cannot \(verb) \(path): \(String(cString: strerror(errno))).")
    }
}

/// A folder that gets its name when all files are written.
///
/// Until then the folder is a private folder beside, which goes with the value. The maker of a folder holds the
/// folder's lock, so the next run of the same user to the same place can tell and remove the folder of a killed run.
final class ForkStaging {
    /// Where files are made meanwhile.
    let path: String
    private let target: String
    /// Holds the lock of the folder.
    private let descriptor: Int32
    private var isFinished = false

    /// Begins a folder.
    ///
    /// - Throws: `ForkError` if something is in its place that is no empty folder.
    init(for folder: String) throws(ForkError) {
        var target = folder
        while target.utf8.count > 1, target.utf8.last == UInt8(ascii: "/") { target.removeLast() }
        self.target = target
        try Self.expectFree(target)
        Self.removeLeftovers(beside: target)
        (path, descriptor) = try Self.make(beside: target)
    }

    deinit {
        if !isFinished { Self.remove(path, descriptor) }
        close(descriptor)
    }

    private static let mark = ".part-"
    /// How often a folder is made anew that another run took before it was locked.
    private static let makingCountMax = 16

    /// Makes a folder and takes its lock.
    private static func make(
        beside target: String
    ) throws(ForkError) -> (path: String, descriptor: Int32) {
        for _ in 0..<makingCountMax {
            var template = Array((target + mark + "XXXXXX").utf8CString)
            guard let made = mkdtemp(&template) else {
                throw ForkError("make a folder beside", target)
            }
            let path = String(cString: made)
            if let descriptor = lock(path) { return (path, descriptor) }
            // Race: another run took the folder for a leftover before it was locked.
            let reason = errno
            rmdir(path)
            errno = reason
        }
        throw ForkError("lock a folder beside", target)
    }

    /// Opens and locks a folder that nobody holds; `nil` for any other, with `errno` set.
    private static func lock(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isFolder(descriptor, at: path) {
            return descriptor
        }
        let reason = errno
        close(descriptor)
        errno = reason
        return nil
    }

    /// Whether a path leads to an open folder: meanwhile it may have been removed, or have got its name.
    private static func isFolder(_ descriptor: Int32, at path: String) -> Bool {
        guard let held = FileIdentity(of: descriptor),
            let named = FileIdentity(at: path, followsLink: false)
        else { return false }
        errno = ENOENT
        return held == named
    }

    /// Whether nobody but this user may use an open folder, as a run makes it.
    private static func isPrivate(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
            && status.st_mode & 0o077 == 0
    }

    /// Removes the folders of runs to this place that were killed.
    private static func removeLeftovers(beside target: String) {
        let end = target.utf8LastIndex(of: "/").map(target.index(after:)) ?? target.startIndex
        let above = end == target.startIndex ? "." : String(target[..<end])
        guard let stream = opendir(above) else { return }
        let prefix = target[end...] + mark
        let found = names(in: stream).filter {
            $0.utf8HasPrefix(String(prefix)) && $0.utf8.count == prefix.utf8.count + 6
        }
        closedir(stream)
        for name in found {
            let path = "\(above)/\(name)"
            guard let descriptor = lock(path) else { continue }
            if isPrivate(descriptor) { remove(path, descriptor) }
            close(descriptor)
        }
    }

    /// Gives the folder its name, and has the name last.
    func finish() throws(ForkError) {
        // An empty folder gives way; whatever came into it meanwhile does not.
        guard rename(path, target) == 0 else { throw ForkError("make", target) }
        isFinished = true
        let above = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        let descriptor = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ForkError("open", above) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw ForkError("sync", above) }
    }

    private static func expectFree(_ path: String) throws(ForkError) {
        guard let stream = opendir(path) else {
            if errno == ENOENT { return }
            throw ForkError("use", path)
        }
        defer { closedir(stream) }
        guard names(in: stream).isEmpty else {
            throw ForkError("It is there and is not empty. Name a folder that is not there.")
        }
    }

    private static func names(in stream: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes an open folder of plain files. The path removes nothing but an empty folder, wherever it
    /// leads meanwhile.
    private static func remove(_ path: String, _ descriptor: Int32) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return }
        guard let stream = fdopendir(own) else {
            close(own)
            return
        }
        for name in names(in: stream) { unlinkat(descriptor, name, 0) }
        closedir(stream)
        rmdir(path)
    }
}
