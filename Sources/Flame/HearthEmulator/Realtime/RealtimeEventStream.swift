import HearthBackend
import HearthModel
import HearthRPC
import NIOCore
import NIOHTTP1

/// One stream of changes of the Realtime Database as server-sent events, on its connection's event loop.
///
/// Shape: `event: put\ndata: {"path":"/a","data":1}\n\n`; also `patch`, `keep-alive`, `cancel`.
final class RealtimeEventStream: HTTPStream {
    /// The number of the one request of a stream.
    private static let listenNumber = 0

    private let exchange: HTTPExchange
    private let service: RealtimeService
    /// The faults that befall the stream.
    private var faults: CallFaults?
    private var path = RealtimePath.root
    private var form = NodeWriter.Form.plain
    private var id: RealtimeConnectionID?
    private var outbox: RealtimeOutbox?
    private var keepAlive: RepeatedTask?
    private var tokenEnd: Scheduled<Void>?
    private var isOver = false
    private var hasBegun = false
    /// Whether a fault lets the next event wait.
    private var isResting = false

    /// A stream that does not listen yet.
    init(_ exchange: HTTPExchange, service: RealtimeService, faults: CallFaults?) {
        self.exchange = exchange
        self.service = service
        self.faults = faults
    }

    private var host: RealtimeHost { service.host }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - path: The place to listen to.
    ///   - parameters: The request's query and form.
    ///   - address: The request's tree and caller.
    func begin(
        _ path: RealtimePath, _ parameters: RealtimeCallParameters, _ address: RealtimeAddress
    ) {
        self.path = path
        exchange.attach(self)
        form = parameters.hasPriorities ? .export : .plain
        let bound = NIOLoopBound(self, eventLoop: exchange.eventLoop)
        let eventLoop = exchange.eventLoop
        let wakes = service.wakes.wakes(of: eventLoop)
        let send: @Sendable () -> Void = { bound.value.sendMore() }
        let outbox = RealtimeOutbox { wakes.wake(send) }
        self.outbox = outbox
        let id = host.open(outbox, in: address.namespace, by: address.caller)
        self.id = id
        service.registry.add(ObjectIdentifier(self)) {
            eventLoop.execute { bound.value.stop() }
        }
        host.watch(path, parameters.query, number: Self.listenNumber, for: id)
        if let end = address.tokenEnd {
            tokenEnd = eventLoop.scheduleTask(in: host.wait(until: end)) {
                bound.value.tokenEnded()
            }
        }
    }

    func becameWritable() {
        sendMore()
    }

    /// A client that waits for events and closes its half of the connection has gone.
    func inputEnded() {
        closed()
        exchange.breakOff()
    }

    func closed() {
        if isOver { return }
        isOver = true
        keepAlive?.cancel()
        tokenEnd?.cancel()
        outbox = nil
        service.registry.remove(ObjectIdentifier(self))
        if let id { host.close(id) }
    }

    private func stop() {
        if isOver { return }
        closed()
        exchange.breakOff()
    }

    private func sendMore() {
        // Before the answer's head nothing is written, so the stream need not wait for the client.
        while !isOver, !isResting, !hasBegun || exchange.isWritable, let next = outbox?.next() {
            send(next.message)
            rest()
            if next.isLast { break }
        }
        if hasBegun { exchange.flush() }
    }

    /// Lets the next event wait, if a fault slows the stream down.
    private func rest() {
        guard let delay = faults?.messageDelay, delay > .zero else { return }
        isResting = true
        let bound = NIOLoopBound(self, eventLoop: exchange.eventLoop)
        exchange.eventLoop.scheduleTask(in: TimeAmount(delay)) {
            bound.value.isResting = false
            bound.value.sendMore()
        }
    }

    private func send(_ message: RealtimeOutbox.Message) {
        switch message {
        case .push(let change, _):
            beginAnswer()
            write(change.change)
        case .answer(.refused(let refusal), _):
            if hasBegun { return cancel() }
            closed()
            exchange.send(.realtime(RealtimeReply(refusal), isPretty: false))
        case .answer: break
        case .revoke: cancel()
        case .lost: stop()
        }
    }

    private func beginAnswer() {
        if hasBegun { return }
        hasBegun = true
        exchange.begin(.ok, ["content-type": "text/event-stream; charset=utf-8"], self)
        let bound = NIOLoopBound(self, eventLoop: exchange.eventLoop)
        let interval = TimeAmount(service.times.keepAlive)
        keepAlive = exchange.eventLoop.scheduleRepeatedTask(
            initialDelay: interval, delay: interval
        ) { _ in bound.value.sayAlive() }
    }

    private func sayAlive() {
        write("keep-alive", Array("null".utf8))
        exchange.flush()
    }

    private func tokenEnded() {
        guard hasBegun, !isOver else { return stop() }
        // Clients compare this text as it stands, without quotes.
        write("auth_revoked", Array("credential is no longer valid".utf8))
        closed()
        exchange.end()
    }

    private func cancel() {
        write("cancel", Array("null".utf8))
        closed()
        exchange.end()
    }

    private func write(_ change: PushedChange) {
        guard
            let event = RealtimeStreamEvent(
                change, at: path, withPriorities: form == .export)
        else { return }  // Nothing that is shown has changed.
        var bytes = Array(#"{"path":"#.utf8)
        JSONWriter.write(event.path.description, to: &bytes)
        bytes += #","data":"#.utf8
        bytes += HTTPReply.realtimeBody(event.body)
        bytes.append(UInt8(ascii: "}"))
        write(event.name.rawValue, bytes)
    }

    private func write(_ event: String, _ data: [UInt8]) {
        if isOver { return }
        guard faults?.sends() ?? true else { return stop() }
        var buffer = ByteBuffer()
        buffer.writeString("event: \(event)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        exchange.write(buffer)
    }
}
