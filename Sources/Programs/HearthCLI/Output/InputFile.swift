import Glibc

/// A file that is read as a whole, or standard input.
enum InputFile {
    /// Reads a file; `-` is standard input.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path)
            }
            bytes += buffer[..<count]
        }
    }

    private static func failure(_ path: String) -> Failure {
        let reason = errno
        let status: CommandStatus = reason == EACCES ? .noAccess : .failed
        return Failure(status, "Cannot read \(path): \(String(cString: strerror(reason))).")
    }
}
