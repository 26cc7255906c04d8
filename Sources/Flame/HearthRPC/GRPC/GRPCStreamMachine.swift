import HearthModel
import NIOCore

/// What one stream of a connection has come to. Decides; the shell writes frames and calls.
///
///     idle --head--> reading --end of a request--> called ----> answering --> finished
///       \--bad head, cut message, deadline, reset: finished (from anywhere)
struct GRPCStreamMachine {
    /// What the shell must do.
    enum Action: Equatable {
        /// Answer a call of one request.
        case call(CallMethod, ByteBuffer)
        /// Begin a call of many requests.
        case open(CallMethod)
        /// Hand one of them on.
        case deliver(ByteBuffer)
        /// Say that there are no more.
        case halfClose
        /// End the stream with an error.
        case refuse(HearthError)
    }

    private enum State: Equatable {
        case idle
        /// Waits for the one request of a call; it may be there already.
        case reading(CallMethod, ByteBuffer?)
        case streaming
        /// Nothing more is expected of the client.
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
    /// - Parameter method: What the head's path names; `nil` if it names nothing.
    mutating func received(
        _ head: GRPCRequestHead, of method: CallMethod?, isLast: Bool
    ) -> [Action] {
        guard case .idle = state else {
            // Trailers of a client mean nothing in gRPC but that it has ended.
            return isLast ? receivedEnd() : []
        }
        guard head.verb == "POST", let method else {
            return refuse(
                HearthError(
                    code: .unimplemented, message: "The method \(head.path) is not served here."))
        }
        if head.hasBadTimeout {
            return refuse(
                HearthError(
                    code: .internalError, message: "grpc-timeout holds no time that gRPC knows."))
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
        return isLast ? actions + receivedEnd() : actions
    }

    /// The connection will bring no more: what has begun ends as if the client had said so.
    mutating func inputClosed() -> [Action] {
        isReading ? receivedEnd() : []
    }

    /// The call is answered, or nobody waits for it any more.
    mutating func finished() {
        state = .finished
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
        state = .finished
        return [.refuse(error)]
    }
}
