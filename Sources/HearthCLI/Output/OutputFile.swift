import Glibc

/// A file that is written as a whole, or standard output.
enum OutputFile {
    /// Writes a file, in the place of an older one; `-` is standard output.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let descriptor = path == "-" ? STDOUT_FILENO : open(path, flags, 0o666)
        guard descriptor >= 0 else { throw failure(path) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let failure = failure(path)
                if path != "-" { close(descriptor) }
                throw failure
            }
            rest = rest.dropFirst(count)
        }
        if path != "-", close(descriptor) != 0 { throw failure(path) }
    }

    private static func failure(_ path: String) -> Failure {
        let reason = errno
        let status: CommandStatus = reason == EACCES ? .noAccess : .failed
        return Failure(status, "Cannot write \(path): \(String(cString: strerror(reason))).")
    }
}
