package import HearthModel
package import NIOCore

/// A service of gRPC: names its methods and answers their calls.
///
/// A connection looks a path up, gathers the request, and hands the request over as bytes. The
/// connection knows no message of any service. The connection calls the service on its event loop;
/// the service must not block that loop.
package protocol CallService: Sendable {
    /// The server's name in errors, such as `emulator` in the error `stopping`.
    var name: String { get }

    /// The method of a path such as `/google.firestore.v1.Firestore/Commit`; `nil` if there is none.
    func method(at path: String) -> CallMethod?

    /// Answers a call of one request.
    ///
    /// - Parameters:
    ///   - request: The message's bytes, unpacked.
    ///   - reply: Takes the answer; called once, on any thread, perhaps before `answer` returns.
    func answer(_ call: CallHead, _ request: ByteBuffer, _ reply: @escaping CallReply)

    /// Begins a call of many requests.
    ///
    /// - Parameters:
    ///   - call: The method, the caller and the other headers.
    ///   - sender: Sends the answers, and the end of the call.
    ///   - eventLoop: The loop of the connection, which also calls the returned value.
    ///   - faults: The faults of the call on purpose; the connection carries out all but
    ///     `CallFaults.lateness`, which the service carries out.
    /// - Throws: The service's error for a refused call; the stream ends with the error.
    func open(
        _ call: CallHead, answering sender: any CallSender, on eventLoop: any EventLoop,
        faults: CallFaults?
    ) throws(HearthError) -> any BidirectionalCall

    /// Bytes of answers that a client may leave unread before the calls of its connection wait, and
    /// calls of one request do not begin, until the client has taken half.
    var unreadByteCountMax: Int { get }

    /// Hears the bytes that a connection holds for its client after each change, on the
    /// connection's event loop.
    ///
    /// - Parameters:
    ///   - unfinished: Bytes of requests that are not whole, and of the headers of calls under way.
    ///   - unread: Bytes of answers that the client has not taken.
    func holds(unfinished: Int, unread: Int)

    /// Why the call whose bytes came last must end, for what the connection holds of requests that
    /// are not whole; `nil` if the call may go on.
    func refusal(ofUnfinished byteCount: Int) -> HearthError?
}

/// Where the answer to a call of one request goes.
package typealias CallReply = @Sendable (Result<Answer, HearthError>) -> Void

extension CallService {
    package var unreadByteCountMax: Int { ConnectionLimits.unreadByteCountMax }

    package func holds(unfinished: Int, unread: Int) {}

    package func refusal(ofUnfinished byteCount: Int) -> HearthError? {
        byteCount > ConnectionLimits.waitingByteCountMax ? .tooMuchUnfinished : nil
    }

    /// The error for calls that a stopping server ends.
    package var stopping: HearthError {
        HearthError(code: .unavailable, message: "The \(name) is stopping.")
    }
}

extension HearthError {
    fileprivate static let tooMuchUnfinished = HearthError(
        code: .resourceExhausted,
        message: "The connection's unfinished requests are larger than "
            + "\(ConnectionLimits.waitingByteCountMax) bytes.")
}
