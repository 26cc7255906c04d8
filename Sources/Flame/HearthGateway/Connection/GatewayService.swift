import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore

/// Hands the calls of one connection on, for HearthRPC, on the connection's event loop.
///
/// Every method is opened as a stream, because only the call of a stream learns that its client is
/// gone, and waits for a client that does not read.
struct GatewayService: CallService {
    private let connection: NIOLoopBound<GatewayConnection>

    /// Serves a connection on its event loop.
    init(_ connection: GatewayConnection) {
        self.connection = NIOLoopBound(connection, eventLoop: connection.eventLoop)
    }

    var name: String { "daemon" }

    func method(at path: String) -> CallMethod? { Self.methods.call(at: path) }

    func answer(_ call: CallHead, _ request: ByteBuffer, _ reply: @escaping CallReply) {
        preconditionFailure("\(call.method.name) was opened as no stream")
    }

    func open(
        _ call: CallHead, answering sender: any CallSender, on eventLoop: any EventLoop,
        faults: CallFaults?
    ) throws(HearthError) -> any BidirectionalCall {
        try connection.value.open(
            Self.methods.method(of: call.method), call, answering: sender)
    }

    /// No bound here: calls wait and are refused by the bounds of `ConnectionMemory`, which can be
    /// configured.
    var unreadByteCountMax: Int { .max }

    func holds(unfinished: Int, unread: Int) {
        connection.value.holds(unfinished: unfinished, unread: unread)
    }

    func refusal(ofUnfinished byteCount: Int) -> HearthError? {
        connection.value.refusal(ofUnfinished: connection.value.memory.gathered + byteCount)
    }

    private static let methods = MethodTable<FirestoreMethod>(service: FirestoreMethod.service) {
        _ in .bidirectional
    }
}
