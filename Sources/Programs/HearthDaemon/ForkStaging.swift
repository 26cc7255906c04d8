import Glibc
import HearthModel

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

/// A folder that appears under its name when it is whole.
///
/// Until then it is a private folder beside, which goes with the value. What a killed run left is removed by
/// the next run to the same place: whoever makes a folder holds its lock.
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
        var template = Array((target + Self.mark + "XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw ForkError("make a folder beside", target) }
        path = String(cString: made)
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw ForkError("lock", path)
        }
    }

    deinit {
        if !isFinished { Self.remove(path) }
        if descriptor >= 0 { close(descriptor) }
    }

    private static let mark = ".part-"

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
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(path) }
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

    /// Removes a folder of plain files.
    private static func remove(_ path: String) {
        if let stream = opendir(path) {
            for name in names(in: stream) { unlink("\(path)/\(name)") }
            closedir(stream)
        }
        rmdir(path)
    }
}
