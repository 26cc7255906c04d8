package import HearthModel
package import NIOCore

/// A service of gRPC: what its methods are, and what answers them.
///
/// A connection looks a path up, gathers the request, and hands it over as bytes. It knows no message of
/// any service. The service is on the connection's event loop when it is asked, and must not block it.
package protocol CallService: Sendable {
    /// Who stops when the server stops, as in "The emulator is stopping."
    var name: String { get }

    /// The method of a path such as `/google.firestore.v1.Firestore/Commit`; `nil` if there is none.
    func method(at path: String) -> CallMethod?

    /// Answers a call of one request.
    ///
    /// - Parameters:
    ///   - request: The message's bytes, unpacked.
    ///   - reply: Called once, on any thread, perhaps before this returns.
    func answer(_ call: CallHead, _ request: ByteBuffer, _ reply: @escaping CallReply)

    /// Begins a call of many requests.
    ///
    /// - Parameters:
    ///   - faults: What goes wrong with the call on purpose; the connection sees to all but
    ///     `CallFaults.lateness`.
    /// - Throws: Why the call is refused; the stream then ends with it.
    func open(
        _ call: CallHead, answering sender: any CallSender, on eventLoop: any EventLoop,
        faults: CallFaults?
    ) throws(HearthError) -> any BidirectionalCall
}

/// Where the answer to a call of one request goes.
package typealias CallReply = @Sendable (Result<Answer, HearthError>) -> Void

extension CallService {
    /// What calls are told that the server ends because it stops.
    package var stopping: HearthError {
        HearthError(code: .unavailable, message: "The \(name) is stopping.")
    }
}
