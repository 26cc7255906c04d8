import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore

/// One session: connects its machine with the service's stream and the client's back channels.
///
/// The session stays on one event loop; its connections may be on others.
final class WebChannelCall: CallSender {
    /// The session's name, which the client sends as `SID`.
    let name: String
    private let method: FirestoreMethod
    private let eventLoop: any EventLoop
    private let forget: () -> Void

    private var session = WebChannelSession()
    private var stream: (any BidirectionalCall)?
    private var lines: [WebChannelSession.LineID: WebChannelLine] = [:]
    private var timers: [WebChannelSession.Timer: Scheduled<Void>] = [:]
    /// Answers to posts. The client sends no more until the answer comes.
    private var heldAnswers: [() -> Void] = []
    private var faults: CallFaults?
    /// The error for the client if the emulator stops.
    private var stopping: HearthError?
    /// Maps that wait for the end of a delay.
    private var held: [String]?
    private var isPacing = false
    private var isFlushDue = false
    private var isWakeDue = false

    /// A session that has not begun.
    ///
    /// - Parameter forget: Called once, when the session is over.
    init(
        _ name: String, _ method: FirestoreMethod, on eventLoop: any EventLoop,
        forget: @escaping () -> Void
    ) {
        self.name = name
        self.method = method
        self.eventLoop = eventLoop
        self.forget = forget
    }

    /// Begins the stream for the token's caller, unless a fault or the service refuses the stream.
    ///
    /// - Parameter authorization: The header `authorization`; `nil` if it is absent.
    func begin(_ service: any CallService, authorization: String?, _ faults: CallFaults?) {
        self.faults = faults
        stopping = service.stopping
        perform(session.opened())
        do throws(HearthError) {
            if let refusal = faults?.refusal { throw refusal }
            stream = try service.open(
                CallHead(method.call, authorization: authorization), answering: self,
                on: eventLoop, faults: faults)
        } catch {
            return finish(error)
        }
        guard let delay = faults?.delay, delay > .zero else { return }
        held = []
        schedule(delay) { [self] in
            let maps = held ?? []
            held = nil
            for map in maps { deliver(map) }
        }
    }

    /// Takes maps that the client posted.
    ///
    /// - Parameters:
    ///   - acknowledged: The newest array that the client has; `nil` if the request names none.
    ///   - reply: Called once, on the session's loop, when the client may send more.
    func received(
        _ form: WebChannelForm, acknowledged: Int?,
        reply: @escaping (Result<[UInt8], WebChannelSession.Fault>) -> Void
    ) {
        do throws(WebChannelSession.Fault) {
            perform(
                try session.received(form.maps, offset: form.offset, acknowledged: acknowledged))
        } catch {
            return reply(.failure(error))
        }
        guard stream?.isBusy == true else { return reply(.success(session.answerToPost)) }
        heldAnswers.append { [self] in reply(.success(session.answerToPost)) }
        if heldAnswers.count > WebChannelLimits.heldAnswerCountMax { finish(Self.tooMuch) }
    }

    /// Takes a new back channel of the client.
    ///
    /// - Parameters:
    ///   - acknowledged: The newest array that the client has.
    ///   - isLongPoll: Whether the back channel ends with its first arrays.
    ///   - patience: How long the back channel may be silent.
    func attached(
        _ line: WebChannelLine, acknowledged: Int, isLongPoll: Bool, patience: Duration
    ) {
        lines[line.id] = line
        perform(
            session.attached(
                line.id, acknowledged: acknowledged, isLongPoll: isLongPoll, patience: patience))
    }

    /// A back channel's connection is gone.
    func lost(_ id: WebChannelSession.LineID) {
        lines[id] = nil
        perform(session.lost(id))
    }

    /// The client ends the session.
    func terminated() {
        perform(session.terminated())
    }

    /// The emulator stops.
    func stop() {
        finish(stopping)
        terminated()
    }

    private func perform(_ actions: [WebChannelSession.Action]) {
        for action in actions {
            switch action {
            case .deliver(let map): deliver(map)
            case .write(let id, let bytes): lines[id]?.write(bytes)
            case .end(let id): lines.removeValue(forKey: id)?.end()
            case .schedule(let timer, let duration):
                timers[timer]?.cancel()
                timers[timer] = schedule(duration) { [self] in perform(session.elapsed(timer)) }
            case .cancel(let timer): timers.removeValue(forKey: timer)?.cancel()
            case .resume: if isWritable { stream?.becameWritable() }
            case .close: close()
            }
        }
    }

    private func deliver(_ map: String) {
        if held != nil {
            held?.append(map)
            return
        }
        guard let stream else { return }
        do throws(HearthError) {
            stream.received(ByteBuffer(bytes: try request(map)))
        } catch {
            finish(error)
        }
    }

    /// A map as the bytes of its message.
    private func request(_ map: String) throws(HearthError) -> [UInt8] {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(Array(map.utf8))
        } catch {
            throw JSONToProto.invalid
        }
        return try JSONToProto.bytes(of: json, as: "\(method.rawValue)Request")
    }

    private func close() {
        forget()
        endStream()
    }

    private func endStream() {
        held = nil
        becameIdle()
        let stream = stream
        self.stream = nil
        stream?.closed()
    }

    private static let tooMuch = HearthError(
        code: .resourceExhausted,
        message:
            "Over \(WebChannelLimits.heldAnswerCountMax) posts wait for the stream to catch up.")

    @discardableResult
    private func schedule(_ duration: Duration, _ body: @escaping () -> Void) -> Scheduled<Void> {
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration), body)
    }
}

/// Answers of the stream.
extension WebChannelCall {
    var isWritable: Bool { session.isWritable && !isPacing }

    func sendSoon() {
        if isWakeDue { return }
        isWakeDue = true
        eventLoop.assumeIsolated().execute { [self] in
            isWakeDue = false
            stream?.becameWritable()
        }
    }

    func send(_ message: [UInt8]) {
        if stream == nil { return }
        if faults?.sends() == false { return finish(CallFaults.lost) }
        do throws(HearthError) {
            let json = try ProtoToJSON.json(of: message, as: "\(method.rawValue)Response")
            session.sent([UInt8(ascii: "[")] + json + [UInt8(ascii: "]")])
        } catch {
            return finish(error)
        }
        flushSoon()
        guard let delay = faults?.messageDelay, delay > .zero else { return }
        isPacing = true
        schedule(delay) { [self] in
            isPacing = false
            if isWritable { stream?.becameWritable() }
        }
    }

    /// Drops the metadata: a browser's messages have no place for it.
    func begin(_ metadata: CallMetadata) {}

    func finish(_ error: HearthError?, _ metadata: CallMetadata) {
        let last = error.map { error in
            [UInt8(ascii: "[")] + HTTPReply.error(error).body + [UInt8(ascii: "]")]
        }
        perform(session.finished(last))
        endStream()
    }

    func becameIdle() {
        let answers = heldAnswers
        heldAnswers = []
        for answer in answers { answer() }
    }

    /// Sends all messages of one run of the loop in one chunk.
    private func flushSoon() {
        if isFlushDue { return }
        isFlushDue = true
        eventLoop.assumeIsolated().execute { [self] in
            isFlushDue = false
            perform(session.flush())
        }
    }
}

/// A back channel for its session: a long answer, perhaps on another event loop.
struct WebChannelLine: Sendable {
    let id: WebChannelSession.LineID
    let write: @Sendable ([UInt8]) -> Void
    let end: @Sendable () -> Void
}
