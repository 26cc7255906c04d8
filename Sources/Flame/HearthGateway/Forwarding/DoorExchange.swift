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
    /// Whether the call counts for its user and has not begun.
    private var isDue = false
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

    /// Begins the call at the end of the read or task that goes on now, unless it is given up before.
    /// On the loop of the session, as all that follows.
    ///
    /// - Parameter request: The call, which counts for its user already.
    func begin(_ request: DoorRequest) {
        isDue = true
        session.connection.beginSoon { [self] in
            guard isDue else { return }
            isDue = false
            makeCall(request)
        }
    }

    private func makeCall(_ request: DoorRequest) {
        let loop = session.connection.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        let (counts, payer) = (counts, payer)
        let listener = DoorListener(
            received: { message in
                await withCheckedContinuation { continuation in
                    loop.execute { bound.value.received(message, continuation) }
                }
            },
            ended: { end in
                counts.leave(payer)
                loop.execute { bound.value.ended(end) }
            })
        call = session.service.door.call(request, telling: listener)
    }

    private var counts: UserCounts { session.connection.gateway.forwardedCalls }
    private var payer: UInt32 { session.connection.peer.payer }

    /// Whoever takes the messages wants the next one.
    func wantMore() {
        guard let continuation = waiting else { return }
        waiting = nil
        continuation.resume()
    }

    /// Ends the call, for nobody waits for it any more.
    func abandon() {
        isOver = true
        if isDue {
            isDue = false
            counts.leave(payer)
        }
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
