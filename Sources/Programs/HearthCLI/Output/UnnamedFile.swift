import Glibc

/// A file without a name. The kernel removes the file when the last process that has the file open
/// ends, even if the process is killed.
final class UnnamedFile: Sendable {
    private let descriptor: Int32
    private let place: String

    /// Makes a file on the disk of a path.
    ///
    /// - Throws: `Failure` if it cannot be made.
    init(besides path: String) throws(Failure) {
        var template = Array((path + ".backup-XXXXXX").utf8CString)
        place = path
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw OutputFile.failure(path) }
        unlink(template)
    }

    deinit { close(descriptor) }

    /// Adds bytes.
    func append(_ bytes: [UInt8]) throws(Failure) {
        try OutputFile.write(bytes[...], to: descriptor, named: place)
    }

    /// The path with which the next program of this process opens the file after an `execv`.
    func pathForSuccessor() throws(Failure) -> String {
        guard fcntl(descriptor, F_SETFD, 0) == 0 else { throw OutputFile.failure(place) }
        return "/proc/self/fd/\(descriptor)"
    }
}
