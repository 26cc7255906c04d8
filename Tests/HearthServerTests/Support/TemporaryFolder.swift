import Glibc

/// A folder of a test's own, removed with everything in it when the test ends.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/hearth-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            preconditionFailure("No folder can be made in /tmp: \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    deinit {
        nftw(path, { file, _, _, _ in file.map { remove($0) } ?? 0 }, 16, FTW_DEPTH | FTW_PHYS)
    }
}
