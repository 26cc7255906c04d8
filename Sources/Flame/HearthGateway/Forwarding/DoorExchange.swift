import HearthFirestore
import HearthModel
import HearthServer
import NIOCore

/// One call through the door on behalf of a client: messages come on the client's loop, as fast as
/// the receiver takes them.
///
/// No message waits here: until the next one is wanted, the door reads no more of the backend.
final class DoorExchange {
    private let session: GatewaySession
    private let take: ([UInt8]) -> Bool
    private let finish: (DoorEnd) -> Void
    private var call: (any DoorCall)?
    private var waiting: CheckedContinuation<Void, Never>?
    private var isOver = false

    /// A call that has not begun.
    ///
    /// - Parameters:
    ///   - take: Takes a message, and returns whether it wants the next one now; if not, `wantMore`
    ///     must follow.
    ///   - finish: Hears of the end, unless nobody waits any more.
    init(
        _ session: GatewaySession, take: @escaping ([UInt8]) -> Bool,
        finish: @escaping (DoorEnd) -> Void
    ) {
        self.session = session
        self.take = take
        self.finish = finish
    }

    /// Begins the call. On the loop of the session, as all that follows.
    func begin(_ request: DoorRequest) {
        let loop = session.connection.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        let calls = session.connection.gateway.forwardedCalls
        let uid = session.connection.peer.payer
        let listener = DoorListener(
            received: { message in
                await withCheckedContinuation { continuation in
                    loop.execute { bound.value.received(message, continuation) }
                }
            },
            ended: { end in
                calls.leave(uid)
                loop.execute { bound.value.ended(end) }
            })
        call = session.service.door.call(request, telling: listener)
    }

    /// Whoever takes the messages wants the next one.
    func wantMore() {
        guard let continuation = waiting else { return }
        waiting = nil
        continuation.resume()
    }

    /// Ends the call, for nobody waits for it any more.
    func abandon() {
        isOver = true
        call?.cancel()
        wantMore()
    }

    private func received(_ message: [UInt8], _ continuation: CheckedContinuation<Void, Never>) {
        if isOver || take(message) { return continuation.resume() }
        waiting = continuation
    }

    private func ended(_ end: DoorEnd) {
        call = nil
        guard !isOver else { return }
        isOver = true
        finish(end)
    }
}
