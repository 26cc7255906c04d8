import Glibc
import HearthModel
import HearthSQLite

/// A file of orders beside the databases. Blocks on the disk.
struct OrderFile: Sendable {
    /// Where it lies.
    let path: String
    /// What it holds, as the subject of a sentence.
    private let content: String

    /// The largest file that is read: far more orders than users may give.
    private static let byteCountMax = 256 << 20

    /// A file in the folder of the databases.
    init(_ name: String, of content: String, in folder: String) {
        path = folder + "/" + name
        self.content = content
    }

    /// The file's bytes; `nil` if there is no file.
    ///
    /// - Throws: `unavailable` for a file that cannot be read.
    func read() throws(HearthError) -> [UInt8]? {
        let descriptor = try PlainFile.open(path, O_RDONLY, refuse: failure)
        // A folder that is none is the stores' matter, and told by them.
        if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        guard descriptor >= 0 else { throw error("reading \(path)") }
        defer { close(descriptor) }
        guard let bytes = PlainFile.bytes(of: descriptor, byteCountMax: Self.byteCountMax) else {
            throw error("reading \(path)")
        }
        return bytes
    }

    /// Replaces the bytes: after a power cut the file holds the old or the new bytes, whole.
    ///
    /// - Throws: `unavailable` if the disk refuses; the old bytes then stay.
    func write(_ bytes: [UInt8]) throws(HearthError) {
        let new = path + ".new"
        try store(bytes, in: new)
        guard rename(new, path) == 0 else { throw error("renaming \(new)") }
        try syncFolder()
    }

    private func store(_ bytes: [UInt8], in file: String) throws(HearthError) {
        let descriptor = try PlainFile.open(
            file, O_WRONLY | O_CREAT | O_TRUNC, refuse: failure)
        guard descriptor >= 0 else { throw error("making \(file)") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw error("writing \(file)") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw error("syncing \(file)") }
    }

    private func syncFolder() throws(HearthError) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error("opening \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw error("syncing \(folder)") }
    }

    private func error(_ what: String) -> HearthError {
        failure("\(String(cString: strerror(errno))) when \(what)")
    }

    private func failure(_ reason: String) -> HearthError {
        HearthError(code: .unavailable, message: "\(content) cannot be stored: \(reason).")
    }
}
