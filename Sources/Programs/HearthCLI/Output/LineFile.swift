import Glibc

/// Standard output, or a file that replaces an older file only when complete.
final class LineFile {
    private let path: String
    /// `nil` for standard output.
    private let file: PartFile?
    private var buffer: [UInt8] = []

    /// Bytes that are gathered before they are written.
    private static let bufferByteCount = 1 << 16

    /// Opens the file; `-` is standard output.
    init(_ path: String) throws(Failure) {
        self.path = path
        file = path == "-" ? nil : try PartFile(path, mode: 0o666)
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
        try file?.finish()
    }

    private func flush() throws(Failure) {
        if let file {
            try file.append(buffer[...])
        } else {
            try OutputFile.write(buffer[...], to: STDOUT_FILENO, named: path)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
