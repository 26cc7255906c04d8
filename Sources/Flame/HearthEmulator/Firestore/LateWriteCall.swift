import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore

/// A write stream that breaks at its first batches, as if a link were cut.
///
/// The host still applies the batches, as a server does with requests that are on their way when a
/// link is cut.
///
/// The host applies the batches in their order, each at a random moment at most `lateness` after
/// the batch came. The client gets no answer.
final class LateWriteCall: BidirectionalCall {
    /// How long the stream gathers batches before it breaks.
    private static let gatheringTime = TimeAmount.milliseconds(20)

    private let host: BackendHost
    private let caller: NotedCaller
    private let sender: any CallSender
    private let eventLoop: any EventLoop
    private let lateness: Duration
    private let handshake: WriteCall
    private var reader: RequestReader?
    private var lastAt = NIODeadline.uptimeNanoseconds(0)
    private var hasBatch = false
    private var isClosed = false

    /// A stream without its handshake.
    init(
        host: BackendHost, caller: NotedCaller, sender: any CallSender, on eventLoop: any EventLoop,
        lateness: Duration
    ) {
        self.host = host
        self.caller = caller
        self.sender = sender
        self.eventLoop = eventLoop
        self.lateness = lateness
        handshake = WriteCall(host: host, caller: caller, sender: sender, on: eventLoop)
    }

    var isBusy: Bool { false }

    func received(_ request: ByteBuffer) {
        if isClosed { return }
        do throws(HearthError) {
            let message: ProtoWriteRequest = try FirestoreService.read(request)
            guard let reader else {
                self.reader = RequestReader(database: try NameReader.database(message.database))
                return handshake.received(request)
            }
            if message.writes.isEmpty { return handshake.received(request) }
            applyLate(try reader.writes(message.writes), in: reader.database)
        } catch {
            sender.finish(error)
        }
    }

    func ended() { handshake.ended() }

    func becameWritable() { handshake.becameWritable() }

    func closed() {
        isClosed = true
        handshake.closed()
    }

    private func applyLate(_ writes: [Mutation], in database: DatabaseID) {
        if !hasBatch { breakSoon() }
        hasBatch = true
        let parts = lateness.components
        let longest = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        let at = NIODeadline.now() + .nanoseconds(Int64.random(in: 0...max(0, longest)))
        lastAt = max(lastAt, at)
        _ = eventLoop.scheduleTask(deadline: lastAt) { [host, caller] in
            host.commit(writes, in: database, by: caller) { _ in }
        }
    }

    private func breakSoon() {
        _ = eventLoop.assumeIsolated().scheduleTask(in: Self.gatheringTime) { [self] in
            if !isClosed { sender.finish(CallFaults.lost) }
        }
    }
}
