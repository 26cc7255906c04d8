import Glibc

/// A folder of a test's own, removed with everything in it when the test ends.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/hearth-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            preconditionFailure(
                "No folder can be made in /tmp: \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    deinit {
        Self.removeAll(path)
    }

    private static func removeAll(_ path: String) {
        if let stream = opendir(path) {
            var names: [String] = []
            while let entry = readdir(stream) {
                names.append(
                    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                        pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                            String(cString: $0)
                        }
                    })
            }
            closedir(stream)
            for name in names where name != "." && name != ".." { removeAll("\(path)/\(name)") }
        }
        remove(path)
    }
}
