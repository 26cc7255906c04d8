import CLinux
import Glibc

/// A file or a pipe that is read as a whole, or standard input.
enum InputFile {
    /// Bytes of data to import or to load. All of the data is in memory meanwhile.
    static let dataByteCountMax = 512 << 20
    /// Bytes of one value, of the writes of one batch, or of a list of indexes: more than any request
    /// takes.
    static let valueByteCountMax = 64 << 20
    /// Bytes of a file with a secret on its first line.
    static let secretByteCountMax = 64 << 10

    /// Reads a file or a pipe; `-` is standard input, whatever that is.
    ///
    /// A byte order mark at the start, which some editors write, is left out.
    ///
    /// - Throws: `Failure` for what cannot be read, is a device or a folder, or is longer than
    ///   `byteCountMax`.
    static func read(
        _ path: String, byteCountMax: Int = InputFile.valueByteCountMax
    ) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : clinux_open_input(path)
        guard descriptor >= 0 else { throw failure(path) }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 {
                return bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path)
            }
            guard count <= byteCountMax - bytes.count else { throw tooLong(path, byteCountMax) }
            bytes += buffer[..<count]
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// What failures call a file, at the start of a sentence.
    static func name(of path: String) -> String { path == "-" ? "Standard input" : path }

    private static func tooLong(_ path: String, _ byteCountMax: Int) -> Failure {
        Failure(
            .failed,
            "\(name(of: path)) has more than \(Quantity.bytes(byteCountMax)), which is the most that is read "
                + "at a time. Divide it.")
    }

    private static func failure(_ path: String) -> Failure {
        let reason = errno
        let status: CommandStatus = reason == EACCES ? .noAccess : .failed
        let words =
            reason == ENOTSUP
            ? "it is neither a file nor a pipe" : String(cString: strerror(reason))
        return Failure(status, "Cannot read \(path): \(words).")
    }
}
