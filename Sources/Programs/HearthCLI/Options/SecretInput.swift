import Glibc

/// A secret that a person types unseen, or that stands on the first line of a file.
///
/// A secret is never an argument: every process of the machine can read arguments.
enum SecretInput {
    /// Reads a secret.
    ///
    /// - Parameters:
    ///   - path: A file, or `-` for standard input; `nil` to ask at the terminal.
    ///   - name: What the secret is, for the question and for failures.
    ///   - option: The option that names a file, for failures.
    static func read(_ path: String?, _ name: String, option: String) throws(Failure) -> String {
        let text: String
        if let path {
            let bytes = try InputFile.read(
                path, byteCountMax: InputFile.secretByteCountMax)
            text = String(decoding: bytes, as: UTF8.self)
        } else {
            text = try asked(name, option)
        }
        let line = String(text.prefix { !$0.isNewline })
        guard !line.isEmpty else {
            throw Failure(.usage, "The \(name) is empty: its first line counts.")
        }
        return line
    }

    private static func asked(_ name: String, _ option: String) throws(Failure) -> String {
        // The terminal itself, so that standard input and output can go elsewhere.
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw Failure(
                .usage, "There is no terminal to ask for the \(name) at. Name a file by \(option).")
        }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else {
            throw unhidden(name, option)
        }
        var unseen = before
        unseen.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(terminal, TCSAFLUSH, &unseen) == 0 else {
            throw unhidden(name, option)
        }
        defer {
            tcsetattr(terminal, TCSAFLUSH, &before)
            write("\n", to: terminal)
        }
        write("\(name.prefix(1).uppercased())\(name.dropFirst()): ", to: terminal)
        return try line(from: terminal, name)
    }

    private static func unhidden(_ name: String, _ option: String) -> Failure {
        Failure(
            .failed,
            "The terminal cannot be kept from showing the \(name). Name a file by \(option).")
    }

    private static func line(from terminal: Int32, _ name: String) throws(Failure) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let reason = String(cString: strerror(errno))
                throw Failure(.failed, "The \(name) cannot be read: \(reason).")
            }
            if count == 0 || byte == UInt8(ascii: "\n") {
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes.append(byte)
        }
    }

    private static func write(_ text: String, to terminal: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(terminal, bytes, bytes.count)
    }
}
