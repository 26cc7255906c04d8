import HearthTestSupport

@testable import HearthRPC

/// An HTTP/2 machine between frames that come and frames that leave.
struct HTTP2Bench {
    /// An event with the bytes that it names.
    enum Told: Equatable {
        case headers(UInt32, [String: String], isLast: Bool)
        case data(UInt32, [UInt8], isLast: Bool)
        case pong
    }

    var machine = HTTP2Connection()
    var now = Duration.seconds(1_000)
    private var unread: [UInt8] = []

    /// A connection that has begun.
    ///
    /// - Parameter areSettingsKnown: Whether the client has acknowledged the server's settings.
    init(areSettingsKnown: Bool = true) {
        _ = try? receive(
            RawFrames.greeting + (areSettingsKnown ? RawFrames.frame(4, 1, 0, []) : []))
        _ = sent()
    }

    /// A connection on which nothing came.
    init(machine: HTTP2Connection) {
        self.machine = machine
    }

    /// Takes bytes from the client.
    mutating func receive(_ bytes: [UInt8]) throws -> [Told] {
        unread += bytes
        var told: [Told] = []
        while true {
            let (rest, now) = (unread, now)
            let reading = try rest.withUnsafeBytes { bytes in try machine.read(bytes, at: now) }
            guard let reading else { return told }
            switch reading.event {
            case .headers(let id, let fields, let isLast)?:
                let pairs = Dictionary(
                    fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
                told.append(.headers(id.number, pairs, isLast: isLast))
            case .data(let id, let range, let isLast)?:
                told.append(.data(id.number, Array(rest[range]), isLast: isLast))
            case .pong?: told.append(.pong)
            case nil: break
            }
            unread.removeFirst(reading.byteCount)
        }
    }

    /// Takes bytes that break a rule.
    ///
    /// - Returns: The code of the connection's fault; `nil` if there is none.
    mutating func fault(_ bytes: [UInt8]) -> HTTP2Code? {
        do {
            _ = try receive(bytes)
            return nil
        } catch {
            return (error as? HTTP2Fault)?.code
        }
    }

    /// The frames that the machine wants to send.
    mutating func sent() -> [RawFrames.Frame] {
        defer { machine.outputLeft() }
        return RawFrames.frames(machine.output)
    }
}
