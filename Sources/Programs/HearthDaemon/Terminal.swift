import Glibc

/// Words for the person who started the program.
enum Terminal {
    /// Writes a line to standard error.
    static func complain(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }
}
