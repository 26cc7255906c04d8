import HearthModel
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The answer of one call: the bytes that came, and the part that the listener is told next.
///
/// The shell puts in what comes and takes out what is to be told, as fast as the call's listener
/// wants it. The end stands behind all messages that came before it.
///
///     waiting --headers--> reading --trailers, reset, bad bytes--> over
///        \--trailers without messages, bad headers, reset: over
struct ClientCallMachine {
    /// What is to be told.
    enum Event {
        case message(ByteBuffer)
        case end(CallEnd)
    }

    private enum State {
        case waiting
        case reading
        /// Nothing more comes; the end is told behind the messages.
        case over(CallEnd)
        case told
    }

    private var state = State.waiting
    private var decoder: GRPCMessageDecoder
    private let messageByteCountMax: Int

    /// A call without an answer so far.
    init(messageByteCountMax: Int) {
        self.messageByteCountMax = messageByteCountMax
        decoder = GRPCMessageDecoder(byteCountMax: messageByteCountMax)
    }

    /// Bytes that came and were not told.
    var waitingByteCount: Int { decoder.waitingByteCount }

    /// Whether what the server sends matters still.
    var isReading: Bool {
        switch state {
        case .waiting, .reading: true
        case .over, .told: false
        }
    }

    /// Whether the server has begun to answer.
    var hasBegun: Bool {
        switch state {
        case .waiting: false
        case .reading, .over, .told: true
        }
    }

    /// Headers or trailers came.
    mutating func received(_ headers: HPACKHeaders, isLast: Bool) {
        let head = ResponseHead(headers)
        switch state {
        case .waiting:
            if head.isInformational, !isLast { return }
            if let refusal = head.refusal {
                state = .over(refusal)
            } else if isLast {
                state = .over(head.end ?? .withoutStatus)
            } else {
                decoder.coding = head.coding ?? .identity
                state = .reading
            }
        case .reading:
            state = .over(isLast ? head.end ?? .withoutStatus : .headersTwice)
        case .over, .told:
            break  // A race: the server had not heard that the call is over.
        }
    }

    /// Bytes of messages came.
    mutating func received(_ data: ByteBuffer, isLast: Bool) {
        switch state {
        case .waiting: state = .over(.bodyFirst)
        case .reading:
            decoder.append(data)
            if isLast { state = .over(.withoutTrailers) }
        case .over, .told: break  // A race, as above.
        }
    }

    /// The stream is closed.
    ///
    /// - Parameter code: Why, if the server reset the stream.
    mutating func closed(_ code: HTTP2ErrorCode?) {
        switch state {
        case .waiting, .reading: state = .over(code.map(CallEnd.init(reset:)) ?? .withoutTrailers)
        case .over, .told: break
        }
    }

    /// What is to be told next; `nil` if more has to come first. Tells the end once.
    mutating func next() -> Event? {
        switch state {
        case .waiting, .told: return nil
        case .reading, .over: break
        }
        do throws(HearthError) {
            if let message = try decoder.next() { return .message(message) }
        } catch {
            state = .told
            let reason = error == .tooLarge ? .oversized(messageByteCountMax) : error
            return .end(CallEnd(reason, isUnreadable: true))
        }
        guard case .over(let end) = state else { return nil }
        state = .told
        return .end(end.error == nil && waitingByteCount > 0 ? .cutShort : end)
    }
}

extension CallEnd {
    /// The server left gRPC's rules.
    private static func broken(
        _ message: String, code: StatusCode = .internalError, isUnreadable: Bool = false
    ) -> CallEnd {
        CallEnd(HearthError(code: code, message: message), isUnreadable: isUnreadable)
    }

    fileprivate static let withoutStatus = broken(
        "The server ended the call without a status.", code: .unknown)
    fileprivate static let withoutTrailers = broken(
        "The server ended the call without trailers.")
    fileprivate static let headersTwice = broken(
        "The server sent headers twice.", isUnreadable: true)
    fileprivate static let bodyFirst = broken(
        "The server sent messages before headers.", isUnreadable: true)
    fileprivate static let cutShort = broken(
        "The last message is cut short.", isUnreadable: true)
}

extension HearthError {
    /// A message of a server is larger than we take.
    fileprivate static func oversized(_ byteCountMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The server sent a message of more than \(byteCountMax) bytes.")
    }
}
