import Glibc

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
/// Until then it is a private folder beside, which goes with the value.
final class ForkStaging {
    /// Where files are made meanwhile.
    let path: String
    private let target: String
    private var isFinished = false

    /// Begins a folder.
    ///
    /// - Throws: `ForkError` if something is in its place that is no empty folder.
    init(for folder: String) throws(ForkError) {
        var target = folder
        while target.utf8.count > 1, target.utf8.last == UInt8(ascii: "/") { target.removeLast() }
        self.target = target
        try Self.expectFree(target)
        var template = Array((target + ".part-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw ForkError("make a folder beside", target) }
        path = String(cString: made)
    }

    deinit {
        if !isFinished { Self.remove(path) }
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
