import CLinux
import Glibc

/// Standard output, or a file that replaces an older file only when complete.
final class LineFile {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Bytes that are gathered before they are written.
    private static let bufferByteCount = 1 << 16

    /// Opens the file; `-` is standard output.
    init(_ path: String) throws(Failure) {
        if path != "-" { try OutputFile.checkPlace(path) }
        self.path = path
        temporary = "\(path).part"
        descriptor =
            path == "-"
            ? STDOUT_FILENO : open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw OutputFile.failure(path) }
    }

    deinit {
        guard path != "-", descriptor >= 0 else { return }
        close(descriptor)
        unlink(temporary)  // Gone already, if it was finished.
    }

    /// Adds a line.
    func put(_ line: String) throws(Failure) {
        buffer += line.utf8
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    /// Writes what is left, and puts the file in its place, synced.
    func finish() throws(Failure) {
        try flush()
        guard path != "-" else { return }
        guard fsync(descriptor) == 0, clinux_put_in_place(temporary, path) == 0 else {
            throw OutputFile.failure(path)
        }
    }

    private func flush() throws(Failure) {
        try OutputFile.write(buffer[...], to: descriptor, named: path)
        buffer.removeAll(keepingCapacity: true)
    }
}
