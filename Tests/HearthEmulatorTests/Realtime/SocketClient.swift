import HearthTestSupport

/// A client of the Realtime Database's protocol with nothing of an SDK on top, for one thread.
///
/// A frame: FIN and opcode u8 | mask bit and length u8, or 126 and u16, or 127 and u64 | mask u32 | bytes.
final class SocketClient {
    /// How long the server may be silent, in milliseconds.
    private static let patience: Int32 = 20_000

    private let connection: HTTPConnection
    /// The first message.
    private(set) var hello = ""

    /// Connects to a tree, and waits for the first message.
    init(_ address: String, follows session: String? = nil, in tree: String = "demo") throws {
        connection = try HTTPConnection(to: address)
        let last = session.map { "&ls=\($0)" } ?? ""
        let head = try connection.begin(
            "GET", "/.ws?v=5&ns=\(tree)\(last)",
            headers: [
                "upgrade: websocket", "connection: Upgrade",
                "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version: 13",
            ])
        guard head.status == 101 else { throw TooLate(last: "\(head.status)") }
        hello = try next() ?? ""
    }

    /// Runs a script with a connection, on a thread of its own.
    static func talk<Result: Sendable>(
        _ address: String, _ body: @Sendable @escaping (SocketClient) throws -> Result
    ) async throws -> Result {
        try await Task.detached { try body(try SocketClient(address)) }.value
    }

    /// The name of the session, from the first message.
    var session: String {
        guard let start = hello.ranges(of: #""s":""#).first?.upperBound else { return "" }
        return String(hello[start...].prefix { $0 != "\"" })
    }

    /// Sends a request.
    func ask(_ number: Int, _ kind: String, _ body: String) throws {
        try send(#"{"t":"d","d":{"r":\#(number),"a":"\#(kind)","b":\#(body)}}"#)
    }

    /// Sends a text as one frame.
    func send(_ text: String) throws {
        try send(Array(text.utf8), opcode: 1)
    }

    /// Sends bytes as one frame, without a mask or with a mask of zeros.
    ///
    /// - Parameter isLast: Whether the frame ends a message; else a frame of opcode 0 goes on.
    func send(
        _ bytes: [UInt8], opcode: UInt8, isMasked: Bool = true, isLast: Bool = true
    ) throws {
        let first: UInt8 = (isLast ? 0x80 : 0) | opcode
        let bit: UInt8 = isMasked ? 0x80 : 0
        let length: [UInt8] =
            bytes.count < 126
            ? [bit | UInt8(bytes.count)]
            : [bit | 126, UInt8(bytes.count >> 8 & 255), UInt8(bytes.count & 255)]
        let mask: [UInt8] = isMasked ? [0, 0, 0, 0] : []
        try connection.write([first] + length + mask + bytes)
    }

    /// Closes with a reset.
    func reset() {
        connection.reset()
    }

    /// The code with which the server closes the connection; `nil` if it closes without.
    private(set) var closingCode: Int?

    /// What the server's pongs said, in their order.
    private(set) var pongs: [String] = []

    /// The next message; `nil` when the connection has ended.
    ///
    /// - Throws: `TooLate` for a server that neither says anything nor ends the connection.
    func next() throws -> String? {
        while true {
            guard connection.awaitInput(for: Self.patience) else {
                throw TooLate(last: "the server is silent")
            }
            guard let head = try? connection.read(2) else { return nil }
            var length = Int(head[1] & 127)
            if length == 126 { length = Self.number(try connection.read(2)) }
            if length == 127 { length = Self.number(try connection.read(8)) }
            let bytes = try connection.read(length)
            switch head[0] & 15 {
            case 1: return String(decoding: bytes, as: UTF8.self)
            case 8:
                closingCode = bytes.count >= 2 ? Self.number(Array(bytes.prefix(2))) : nil
                return nil
            case 10: pongs.append(String(decoding: bytes, as: UTF8.self))
            default: continue
            }
        }
    }

    /// Whether the server closes within some milliseconds; nothing else may come.
    func hasEnded(within milliseconds: Int32) -> Bool {
        connection.awaitInput(for: milliseconds) && (try? next()) == .some(nil)
    }

    /// The answer to a request that was done.
    static func answer(_ number: Int, _ body: String = "\"\"") -> String {
        #"{"t":"d","d":{"r":\#(number),"b":{"s":"ok","d":\#(body)}}}"#
    }

    /// Something told unasked.
    static func push(_ kind: String, _ body: String) -> String {
        #"{"t":"d","d":{"a":"\#(kind)","b":{\#(body)}}}"#
    }

    private static func number(_ bytes: [UInt8]) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
