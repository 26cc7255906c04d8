import HearthModel
import HearthRPC
import NIOCore

/// The gRPC service of a server that has none: every call is unknown.
struct NoCalls: CallService {
    let name = "console"

    func method(at path: String) -> CallMethod? { nil }

    func answer(_ call: CallHead, _ request: ByteBuffer, _ reply: @escaping CallReply) {
        reply(.failure(Self.unknown))
    }

    func open(
        _ call: CallHead, answering sender: any CallSender, on eventLoop: any EventLoop,
        faults: CallFaults?
    ) throws(HearthError) -> any BidirectionalCall {
        throw Self.unknown
    }

    private static let unknown = HearthError(
        code: .unimplemented, message: "The console serves its page, and no calls.")
}
