import Glibc
import HearthModel
import HearthProtocol
import NIOCore
import NIOPosix
import NIOWebSocket

extension HearthError {
    /// A connection that ended without a goodbye.
    static let cut = HearthError(
        code: .unavailable, message: "The connection to the Realtime Database was cut.")

    /// Why a WebSocket could not be opened or used.
    init(ofSocket error: any Error, to server: String) {
        if let failure = TLSFailure(error) {
            self = .untrusted(failure, server: server)
            return
        }
        switch error {
        case let error as HearthError: self = error
        case let error as RealtimeCodecError:
            let code: StatusCode =
                if case .tooLong = error { .resourceExhausted } else { .internalError }
            self.init(code: code, message: "The message of \(server) cannot be read. \(error)")
        case is NIOConnectionError, is IOError:
            self.init(
                code: .unavailable,
                message: "\(server) cannot be reached: \(Self.words(of: error)).")
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            self.init(
                code: .internalError,
                message: "\(server) breaks the rules of WebSocket: \(error).")
        default:
            self.init(code: .unavailable, message: "The connection to \(server) failed: \(error).")
        }
    }

    /// Why a connection failed, without a full stop: what the system says of the error's number, if the
    /// error has a number.
    static func words(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { words(of: $0.error) }
                ?? "the name \(error.host) cannot be resolved"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: "the connection was not made in time"
        default: "\(error)"
        }
    }

    /// The server does not make the connection a WebSocket.
    init(refusedBy server: String, with status: Int?) {
        let answer = status.map { "answered \($0)" } ?? "did not answer"
        self.init(
            code: .unavailable,
            message: "\(server) \(answer) when asked for a WebSocket. Check that the name of the "
                + "instance is right, and that a Realtime Database listens there.")
    }

    /// The server's goodbye; `nil` if all is in order.
    ///
    /// - Source: RFC 6455, section 7.4.1.
    init?(goodbye data: ByteBuffer) {
        var data = data
        guard let code = data.readInteger(as: UInt16.self), code != 1_000, code != 1_001 else {
            return nil
        }
        let words = String(buffer: data)
        self.init(
            code: .unavailable,
            message: "The Realtime Database closed the connection with \(code)"
                + (words.isEmpty ? "." : ": \(words)"))
    }
}
