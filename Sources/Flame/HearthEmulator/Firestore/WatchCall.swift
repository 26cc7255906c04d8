import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import SwiftProtobuf

/// A watch stream between its client and the host.
///
/// The host fills the outbox, from any thread; the stream empties it as fast as the client reads.
final class WatchCall: BidirectionalCall {
    private let host: BackendHost
    private let caller: NotedCaller
    private let sender: any CallSender
    private let eventLoop: any EventLoop
    private var log: WatchLog
    private var outbox: Outbox?
    private var stream: (id: StreamID, reader: RequestReader)?
    private var codec: FirestoreCodec?
    private var unsent: ArraySlice<WatchChange> = []
    private var hasEnded = false
    private var isClosed = false

    /// A stream without a database.
    init(
        host: BackendHost, caller: NotedCaller, sender: any CallSender, log: WatchLog,
        on eventLoop: any EventLoop
    ) {
        self.host = host
        self.caller = caller
        self.sender = sender
        self.log = log
        self.eventLoop = eventLoop
    }

    /// A client that does not read its answers may not add targets.
    var isBusy: Bool { (outbox?.count ?? 0) > Outbox.messageCountMax }

    func received(_ request: ByteBuffer) {
        do throws(HearthError) {
            try take(try FirestoreService.read(request))
        } catch {
            sender.finish(error)
        }
    }

    func ended() {
        hasEnded = true
        sendMore()
    }

    func becameWritable() {
        sendMore()
    }

    func closed() {
        isClosed = true
        unsent = []
        if let stream { host.close(stream.id) }
        stream = nil
        outbox = nil
    }

    private func take(_ message: ProtoListenRequest) throws(HearthError) {
        let (id, reader) = try open(message.database)
        switch message.targetChange {
        case .addTarget(let target):
            let request = reader.watch(target)
            log.asked(request)
            let call = NIOLoopBound(self, eventLoop: eventLoop)
            let eventLoop = eventLoop
            let record = caller.asking(.listen, at: host.clock.now).record
            record?.concerns(reader.database, .watches(request.subject))
            host.watch(request, on: id, noting: record) { result in
                record?.endListen(result)
                guard case .failure(let error) = result else { return }
                if eventLoop.inEventLoop {
                    call.value.fail(error)
                } else {
                    eventLoop.execute { call.value.fail(error) }
                }
            }
        case .removeTarget(let target):
            host.unwatch(WireTargetID(target), on: id)
        case nil:
            throw HearthError.argument("A listen request needs a target change.")
        }
    }

    private func fail(_ error: HearthError) {
        if !isClosed { sender.finish(error) }
    }

    private func open(_ database: String) throws(HearthError) -> (StreamID, RequestReader) {
        if let stream {
            guard utf8Equals(stream.reader.database.name, database) || database.isEmpty else {
                throw HearthError.argument("A stream is for one database.")
            }
            return (stream.id, stream.reader)
        }
        let reader = RequestReader(database: try NameReader.database(database))
        let call = NIOLoopBound(self, eventLoop: eventLoop)
        let eventLoop = eventLoop
        let outbox = Outbox {
            if eventLoop.inEventLoop {
                call.value.wake()
            } else {
                eventLoop.execute { call.value.sendMore() }
            }
        }
        let id = host.open(outbox, in: reader.database, by: caller.caller)
        self.outbox = outbox
        codec = FirestoreCodec(database: reader.database)
        stream = (id, reader)
        return (id, reader)
    }

    /// The outbox has messages.
    ///
    /// The caller holds the host's lock, so the stream sends the messages a little later.
    private func wake() {
        if !isClosed { sender.sendSoon() }
    }

    /// Sends the messages that wait, as far as the client takes them.
    private func sendMore() {
        guard let outbox, let codec, let stream else {
            if hasEnded, !isClosed { sender.finish(nil) }
            return
        }
        while sender.isWritable, !isClosed {
            guard let message = unsent.popFirst() else {
                unsent = outbox.take()[...]
                if unsent.isEmpty { break }
                continue
            }
            let wasBusy = isBusy
            outbox.sent(1)
            log.told(message)
            do throws(CodecError) {
                sender.send(try codec.watchChangeBytes(message))
            } catch {
                return sender.finish(HearthError(code: .internalError, message: "\(error)"))
            }
            if wasBusy, !isBusy { sender.becameIdle() }
        }
        guard !isClosed, sender.isWritable else { return }
        if outbox.takeSlowness() { host.resume(stream.id) }
        if hasEnded, outbox.count == 0 { sender.finish(nil) }
    }
}
