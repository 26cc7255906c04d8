package import Glibc

/// A folder of a test's own, removed with everything in it when its last user lets go of it.
package final class TemporaryFolder: Sendable {
    /// What could not be done with a file, and why.
    package struct Failure: Error, CustomStringConvertible {
        /// What was tried.
        package let action: String
        /// The system's number of the reason.
        package let code: Int32

        package var description: String { "\(action): \(String(cString: strerror(code)))" }
    }

    /// Where it is, without a slash at the end.
    package let path: String

    /// Makes a folder in `TMPDIR`, or in `/tmp`.
    package init() {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/hearth-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            preconditionFailure(
                "No folder can be made in \(base): \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    deinit { remove() }

    /// Removes it now, with everything in it.
    package func remove() { Self.removeAll(path) }

    /// The names of the files in the folder.
    package var files: [String] { Self.names(in: path) }

    /// How long a file in the folder is; -1 if there is none of this name.
    package func byteCount(of name: String) -> Int {
        var status = stat()
        return stat("\(path)/\(name)", &status) == 0 ? Int(status.st_size) : -1
    }

    /// Writes a file, and returns its path.
    @discardableResult
    package func write(
        _ text: String, to name: String, mode: mode_t = 0o600
    ) throws -> String {
        let target = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, mode)
        guard target >= 0 else { throw Failure(action: "create \(name)", code: errno) }
        defer { close(target) }
        let bytes = Array(text.utf8)
        guard Glibc.write(target, bytes, bytes.count) == bytes.count else {
            throw Failure(action: "write \(name)", code: errno)
        }
        return "\(path)/\(name)"
    }

    /// Copies a file as it lies on the disk now, as a crash would leave it.
    package func copy(_ name: String, to other: TemporaryFolder) throws {
        let source = open("\(path)/\(name)", O_RDONLY)
        guard source >= 0 else { throw Failure(action: "open \(name)", code: errno) }
        defer { close(source) }
        let target = open("\(other.path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard target >= 0 else { throw Failure(action: "create \(name)", code: errno) }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            if count == 0 { return }
            guard count > 0, Glibc.write(target, buffer, count) == count else {
                throw Failure(action: "copy \(name)", code: errno)
            }
        }
    }

    /// What a crash at this moment would leave of the stores in the folder.
    package func crashed() throws -> TemporaryFolder {
        let copy = TemporaryFolder()
        for name in files where !name.hasSuffix("-shm") && !name.hasSuffix("-lock") {
            try self.copy(name, to: copy)
        }
        return copy
    }

    private static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func removeAll(_ path: String) {
        for name in names(in: path) { removeAll("\(path)/\(name)") }
        Glibc.remove(path)
    }
}
