package import HearthModel
package import NIOCore

/// A call with many messages each way, on its transport's event loop.
package protocol BidirectionalCall: AnyObject {
    /// Whether the client should send no more for now.
    var isBusy: Bool { get }

    /// A request came.
    func received(_ request: ByteBuffer)
    /// The client sends no more.
    func ended()
    /// The transport can send again.
    func becameWritable()
    /// The time that the client gave the call is over. The transport ends the call at once, and calls
    /// `closed`.
    ///
    /// - Returns: How the call ends: what the client should know of the requests that it sent.
    func timeEnded() -> LateEnd
    /// Nobody listens any more, or the call is finished. The call may send nothing from here on.
    func closed()
}

extension BidirectionalCall {
    package func timeEnded() -> LateEnd { LateEnd() }
}

/// Where a bidirectional call sends its answers, on the same event loop.
package protocol CallSender: AnyObject {
    /// Whether the client keeps up with what was sent.
    var isWritable: Bool { get }
    /// Bytes of messages, of all calls of the client's connection, that the client has not taken. A
    /// transport that keeps no messages of calls that are over has none.
    var unreadByteCount: Int { get }

    /// Asks for a call of `becameWritable` before the next flush, but never at once.
    ///
    /// Messages that the call sends then leave together with earlier messages.
    func sendSoon()
    /// Sends metadata before the first message. A call must not send metadata after a message.
    func begin(_ metadata: CallMetadata)
    /// Sends a message.
    func send(_ message: [UInt8])
    /// Ends the call: well, or with an error.
    ///
    /// - Parameter metadata: The metadata of the trailers.
    func finish(_ error: HearthError?, _ metadata: CallMetadata)
    /// The call is no longer busy.
    func becameIdle()
}

extension CallSender {
    package var unreadByteCount: Int { 0 }

    /// Ends the call: well, or with an error.
    package func finish(_ error: HearthError?) { finish(error, [:]) }
}
