import HearthModel
import NIOCore

/// The state of one stream of a connection.
///
/// The machine decides; the shell writes frames and calls the service.
///
///     idle --head--> reading --end of a request--> called ----> answering --> finished
///       \--bad head, cut message, deadline, reset: finished (from anywhere)
struct GRPCStreamMachine {
    /// The actions of the shell.
    enum Action: Equatable {
        /// Answer a call of one request.
        case call(CallMethod, ByteBuffer)
        /// Begin a call of many requests.
        case open(CallMethod)
        /// Hand one request of the call on.
        case deliver(ByteBuffer)
        /// Say that no more requests come.
        case halfClose
        /// End the stream with an error.
        case refuse(HearthError)
    }

    private enum State: Equatable {
        case idle
        /// Waits for the end of a call's one request; the request may have come already.
        case reading(CallMethod, ByteBuffer?)
        case streaming
        /// The machine expects nothing more of the client.
        case called
        case finished
    }

    private var state = State.idle
    private var decoder: GRPCMessageDecoder

    /// A stream that has just begun.
    init(requestByteCountMax: Int) {
        decoder = GRPCMessageDecoder(byteCountMax: requestByteCountMax)
    }

    /// Whether the client may still send something that matters.
    var isReading: Bool {
        switch state {
        case .idle, .reading, .streaming: true
        case .called, .finished: false
        }
    }

    /// Bytes that wait for the rest of their message.
    var waitingByteCount: Int { decoder.waitingByteCount }

    /// The headers came.
    ///
    /// - Parameter method: The method at the head's path; `nil` if the path names no method.
    mutating func received(
        _ head: GRPCRequestHead, of method: CallMethod?, isLast: Bool
    ) -> [Action] {
        guard case .idle = state else {
            // In gRPC, a client's trailers mean only that the client has ended.
            return isLast ? receivedEnd() : []
        }
        guard let method else {
            return refuse(
                HearthError(
                    code: .unimplemented, message: "The method \(head.path) is not served here."))
        }
        guard head.verb == "POST" else {
            return refuse(
                HearthError(
                    code: .unimplemented,
                    message: "The method \(head.path) is called by HTTP's POST, and by no other."))
        }
        if head.hasBadTimeout {
            return refuse(
                HearthError(
                    code: .internalError, message: "grpc-timeout holds no time that gRPC knows."))
        }
        if let timeout = head.timeout, timeout <= .zero {
            return refuse(
                HearthError(
                    code: .deadlineExceeded,
                    message: "The time that the client gave was over before the call came, so "
                        + "nothing was done. Give the call more time."))
        }
        guard let coding = head.coding else {
            return refuse(
                HearthError(
                    code: .unimplemented,
                    message: "Messages may be compressed by \(ContentCoding.names) only."))
        }
        decoder.coding = coding
        var actions: [Action] = []
        switch method.shape {
        case .unary, .serverStreaming: state = .reading(method, nil)
        case .bidirectional:
            state = .streaming
            actions.append(.open(method))
        }
        return isLast ? actions + receivedEnd() : actions
    }

    /// Bytes of requests came.
    mutating func received(_ data: ByteBuffer, isLast: Bool) -> [Action] {
        guard isReading else { return [] }  // A race: the client had not heard of the end.
        decoder.append(data)
        var actions: [Action] = []
        do throws(HearthError) {
            while let message = try decoder.next() {
                switch state {
                case .reading(let method, nil): state = .reading(method, message)
                case .streaming: actions.append(.deliver(message))
                case .reading, .idle, .called, .finished:
                    throw HearthError(
                        code: .internalError, message: "The method takes one request, not two.")
                }
            }
        } catch {
            return refuse(error)
        }
        decoder.compact()
        return isLast ? actions + receivedEnd() : actions
    }

    /// Ends a stream whose connection will bring no more, as if the client had ended the stream.
    mutating func inputClosed() -> [Action] {
        isReading ? receivedEnd() : []
    }

    /// The call is answered, or nobody waits for it any more.
    mutating func finished() {
        state = .finished
        decoder.clear()
    }

    private mutating func receivedEnd() -> [Action] {
        if decoder.waitingByteCount > 0 {
            return refuse(
                HearthError(code: .internalError, message: "The last request is cut short."))
        }
        switch state {
        case .reading(let method, let request?):
            state = .called
            return [.call(method, request)]
        case .reading(let method, nil):
            return refuse(
                HearthError(code: .internalError, message: "\(method.name) needs a request."))
        case .streaming:
            state = .called
            return [.halfClose]
        case .idle, .called, .finished:
            return []
        }
    }

    private mutating func refuse(_ error: HearthError) -> [Action] {
        finished()
        return [.refuse(error)]
    }
}
