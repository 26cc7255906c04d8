import Glibc

/// A file that is written as a whole, or standard output.
enum OutputFile {
    /// Writes a file, in the place of an older one; `-` is standard output.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let descriptor = path == "-" ? STDOUT_FILENO : open(path, flags, 0o666)
        guard descriptor >= 0 else { throw failure(path) }
        do throws(Failure) {
            try write(bytes[...], to: descriptor, named: path)
        } catch {
            if path != "-" { close(descriptor) }
            throw error
        }
        if path != "-", close(descriptor) != 0 { throw failure(path) }
    }

    /// Writes all bytes to an open file.
    static func write(
        _ bytes: ArraySlice<UInt8>, to descriptor: Int32, named path: String
    ) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Refuses to put a file in the place of anything that is no file: a rename would replace a device.
    static func checkPlace(_ path: String) throws(Failure) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw Failure(
            .failed, "Cannot write \(path): it is no file. Name a file, or a place where none is.")
    }

    /// What the last error of the system means for a file.
    static func failure(_ path: String) -> Failure {
        let reason = errno
        let status: CommandStatus = reason == EACCES ? .noAccess : .failed
        return Failure(status, "Cannot write \(path): \(String(cString: strerror(reason))).")
    }
}
