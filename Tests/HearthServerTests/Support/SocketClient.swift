import CLinux
import Glibc
import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire

/// A client by the letter of `hearth.proto`: blocking, one thread, no library.
final class SocketClient {
    private let descriptor: Int32
    private var decoder = FrameDecoder()
    private var codec = WireCodec()
    private var frames: [Frame] = []
    /// The descriptors that have come and that nobody has taken.
    private var files: [Int32] = []

    struct Failed: Error {
        let step: String
        let reason: Int32
    }

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = UnixAddress(path)?.use { connect(descriptor, $0, $1) }
        guard result == 0 else { throw Failed(step: "connect", reason: errno) }
        var limit = timeval(tv_sec: 10, tv_usec: 0)  // A test that waits for ever tells nothing.
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        for file in files { close(file) }
    }

    /// Ends the connection in both directions; what has come is lost.
    func cut() {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        shutdown(descriptor, Int32(SHUT_WR))
        var file: Int32 = -1
        while clinux_receive(descriptor, &chunk, chunk.count, 0, &file) > 0 {
            if file >= 0 { close(file) }
        }
    }

    /// The oldest descriptor that has come; the caller closes it.
    func takeFile() -> Int32? { files.isEmpty ? nil : files.removeFirst() }

    /// How many descriptors lie unread on the client's socket, as the kernel tells.
    func unreadFileCount() throws -> Int {
        let info = open("/proc/self/fdinfo/\(descriptor)", O_RDONLY)
        defer { close(info) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(info, &bytes, bytes.count)
        guard count > 0 else { throw Failed(step: "fdinfo", reason: errno) }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        let number = lines.first { $0.hasPrefix("scm_fds:") }?.split { $0 == " " || $0 == "\t" }
            .last
        return number.flatMap { Int($0) } ?? 0
    }

    /// Greets, and takes the welcome.
    func greet(_ database: DatabaseID, program: String = "tests") throws -> Welcome {
        try greet(.firestore(.exactly(database)), program: program)
    }

    /// Greets for a database of any kind, and takes the welcome.
    func greet(_ database: Hello.Database, program: String = "tests") throws -> Welcome {
        try send(
            .session(
                .hello(Hello(client: .anonymous, program: program, database: database))),
            number: 1)
        guard case .welcome(let welcome) = try receive().event else {
            throw Failed(step: "welcome", reason: 0)
        }
        codec = WireCodec(welcome.database)
        return welcome
    }

    func send(_ request: Request, number: UInt64) throws {
        try send(bytes: FrameEncoder.bytes(of: try codec.frame(of: request, number: number)))
    }

    func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failed(step: "send", reason: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The next event. Waits for it.
    func receive() throws -> (number: UInt64, event: Event) {
        while frames.isEmpty {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            var file: Int32 = -1
            let count = clinux_receive(descriptor, &chunk, chunk.count, 0, &file)
            if file >= 0 { files.append(file) }
            guard count > 0 else { throw Failed(step: "receive", reason: count == 0 ? 0 : errno) }
            frames += try decoder.frames(from: Array(chunk[..<count]))
        }
        let frame = frames.removeFirst()
        return (frame.request, try codec.event(frame))
    }

    /// Whether the daemon has closed the connection. Waits for that or for an event.
    func isClosed() -> Bool {
        do {
            _ = try receive()
            return false
        } catch let failure as Failed {
            return failure.reason == 0 || failure.reason == ECONNRESET
        } catch {
            return false
        }
    }
}
