import HearthModel

/// The port at which an emulator's console listens: `HOST:PORT`, where the host is this machine's own
/// loopback.
///
/// A console is for a browser on this machine: whoever could reach the port from elsewhere could try.
struct ConsolePort: Equatable, Sendable {
    /// The port; 0 lets the system choose.
    let number: Int

    /// Reads `127.0.0.1:PORT` or `localhost:PORT`.
    ///
    /// - Throws: `HearthError` `invalidArgument` for any other text; the message says what to write.
    init(_ text: String) throws(HearthError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, ["127.0.0.1", "localhost"].contains(parts[0].lowercased()),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(parts[1])
        else {
            throw HearthError(
                code: .invalidArgument,
                message: "A console listens at this machine's loopback alone: write "
                    + "127.0.0.1:PORT, not \"\(text)\". Port 0 lets the system choose.")
        }
        number = Int(port)
    }
}
