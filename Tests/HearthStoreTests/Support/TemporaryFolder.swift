import Glibc

/// A folder that goes with its value, and takes its files along.
final class TemporaryFolder {
    struct Failure: Error {
        let action: String
        let code: Int32
    }

    let path: String

    init() throws {
        var template = Array("/tmp/hearth-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(action: "mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in files { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The names of the files in it.
    var files: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Copies a file as it lies on the disk now, as a crash would leave it.
    func copy(_ name: String, to other: TemporaryFolder) throws {
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

    /// Writes a file.
    func write(_ text: String, to name: String) throws {
        let target = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard target >= 0 else { throw Failure(action: "create \(name)", code: errno) }
        defer { close(target) }
        let bytes = Array(text.utf8)
        guard Glibc.write(target, bytes, bytes.count) == bytes.count else {
            throw Failure(action: "write \(name)", code: errno)
        }
    }
}
