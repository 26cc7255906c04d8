import HearthBackend
import HearthModel
import NIOCore
import NIOHTTP1

/// Serves one HTTP/1.1 connection: REST, and what helps tests. For one event loop.
final class RESTHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let service: FirestoreService
    private let helpers: HelperEndpoints
    let channels: WebChannels
    private let webGuard: WebGuard
    private let registry: ConnectionRegistry
    let eventLoop: any EventLoop
    private(set) var context: ChannelHandlerContext?

    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var isTooLarge = false
    /// Whether a page may see the answer. One that was refused may not.
    private var isForPages = true
    /// A request is being answered.
    private var isBusy = false
    private var isStopping = false
    /// The client will ask for nothing more.
    private var isInputClosed = false
    /// Answers that are written and have not all left.
    private var leavingCount = 0
    private var stream: Stream?
    /// A back channel's answer under way.
    var line: Line?

    /// A long answer under way.
    private struct Stream {
        var source: any AnswerSource
        let answerName: String
        var callFaults: CallFaults?
        var hasBegun = false
    }

    /// A connection that has just shown itself to be HTTP/1.
    init(
        service: FirestoreService, helpers: HelperEndpoints, channels: WebChannels,
        webGuard: WebGuard, registry: ConnectionRegistry, on eventLoop: any EventLoop
    ) {
        self.service = service
        self.helpers = helpers
        self.channels = channels
        self.webGuard = webGuard
        self.registry = registry
        self.eventLoop = eventLoop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        registry.add(ObjectIdentifier(self)) { [eventLoop] in
            eventLoop.execute { bound.value.stop() }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ended()
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    private func ended() {
        context = nil
        stream = nil
        loseLine()
        registry.remove(ObjectIdentifier(self))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
            isTooLarge = false
            isForPages = true
        case .body(var part):
            if body.readableBytes + part.readableBytes > ConnectionLimits.bodyByteCountMax {
                isTooLarge = true
                body.clear()
            }
            if !isTooLarge { body.writeBuffer(&part) }
        case .end:
            isBusy = true
            answer()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sendMore()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            isInputClosed = true
            closeIfDone()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Closes if nothing more will come or nothing more is wanted, and all answers have left.
    private func closeIfDone() {
        guard isInputClosed || isStopping, !isBusy, leavingCount == 0 else { return }
        context?.close(promise: nil)
    }

    private func stop() {
        isStopping = true
        closeIfDone()
        _ = eventLoop.assumeIsolated().scheduleTask(in: ConnectionLimits.drainTimeout) { [self] in
            context?.close(promise: nil)
        }
    }

    /// The client will send no more. Who fetches from a back channel always could; it has gone.
    func inputEnded() {
        guard line != nil else { return }
        loseLine()
        context?.close(promise: nil)
    }

    private func answer() {
        guard let head else { return }
        let target = RESTTarget(head.uri)
        if let refusal = webGuard.refusal(
            of: head.headers, for: target.map(HelperEndpoints.area) ?? .database,
            at: context?.localAddress)
        {
            isForPages = false
            return send(.error(refusal))
        }
        if isTooLarge { return send(.error(.tooLarge)) }
        if head.method == .OPTIONS { return send(.empty) }
        guard let target else { return send(.notFound) }
        let bytes: [UInt8]
        do throws(HearthError) {
            guard let unpacked = try unpackedBody(head) else { return send(.unknownCoding) }
            bytes = unpacked
        } catch {
            return send(.error(error))
        }
        if let method = WebChannelRequest.method(target) {
            return answerChannel(method, target, head, bytes)
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let eventLoop = eventLoop
        let isHelped = helpers.answer(head.method.rawValue, target, bytes) { reply in
            eventLoop.execute { bound.value.send(reply) }
        }
        if isHelped { return }
        do throws(HearthError) {
            guard
                let route = try RESTRoute(
                    verb: head.method.rawValue, target: target, body: bytes)
            else { return send(.notFound) }
            try call(route, head)
        } catch {
            send(.error(error))
        }
    }

    /// The body as it was before it was packed; `nil` if nobody here knows how.
    private func unpackedBody(_ head: HTTPRequestHead) throws(HearthError) -> [UInt8]? {
        let name = head.headers.first(name: "content-encoding") ?? ""
        guard let coding = ContentCoding(name: name) else { return nil }
        let result = body.withUnsafeReadableBytes { bytes in
            Result { () throws(HearthError) in
                try coding.unpacked(bytes, byteCountMax: ConnectionLimits.bodyByteCountMax)
            }
        }
        do throws(HearthError) {
            return try result.get()
        } catch {
            throw error.code == .internalError ? JSONToProto.invalid : error
        }
    }

    private func call(_ route: RESTRoute, _ head: HTTPRequestHead) throws(HearthError) {
        let request = try JSONToProto.bytes(of: route.request, as: route.requestName)
        let caller = try Caller(authorization: head.headers.first(name: "authorization"))
        let callFaults = helpers.faults.take(method: route.method)
        if let refusal = callFaults?.refusal { throw refusal }
        let delay = callFaults?.delay ?? .zero
        if delay > .zero {
            _ = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [self] in
                call(route, request, caller, callFaults)
            }
        } else {
            call(route, request, caller, callFaults)
        }
    }

    private func call(
        _ route: RESTRoute, _ request: [UInt8], _ caller: Caller, _ callFaults: CallFaults?
    ) {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let eventLoop = eventLoop
        let faults = NIOLoopBound(callFaults, eventLoop: eventLoop)
        service.called(by: caller).answer(route.method, ByteBuffer(bytes: request)) { result in
            if eventLoop.inEventLoop {
                bound.value.answered(result, route.answerName, faults.value)
            } else {
                eventLoop.execute {
                    bound.value.answered(result, route.answerName, faults.value)
                }
            }
        }
    }

    private func answered(
        _ result: Result<Answer, HearthError>, _ answerName: String, _ callFaults: CallFaults?
    ) {
        do throws(HearthError) {
            switch try result.get() {
            case .message(let bytes):
                var callFaults = callFaults
                if callFaults?.sends() == false { throw CallFaults.lost }
                send(.json(try ProtoToJSON.json(of: bytes, as: answerName)))
            case .messages(let source):
                stream = Stream(source: source, answerName: answerName, callFaults: callFaults)
                sendMore()
            }
        } catch {
            send(.error(error))
        }
    }
}

/// Answers.
extension RESTHandler {
    func send(_ reply: RESTReply) {
        var headers = reply.headers
        if let type = reply.contentType { headers.add(name: "content-type", value: type) }
        var reply = reply
        if reply.body.count >= ConnectionLimits.packedByteCountMin, head?.takesGzip == true {
            reply.body = ContentCoding.gzip(reply.body)
            headers.add(name: "content-encoding", value: "gzip")
            headers.add(name: "vary", value: "Accept-Encoding")
        }
        headers.add(name: "content-length", value: "\(reply.body.count)")
        begin(HTTPResponseStatus(statusCode: reply.status), headers)
        if !reply.body.isEmpty, head?.method != .HEAD {
            write(.body(.byteBuffer(ByteBuffer(bytes: reply.body))))
        }
        end()
    }

    /// Sends of a long answer as much as the client takes.
    private func sendMore() {
        while stream != nil, let context, context.channel.isWritable {
            do throws(HearthError) {
                let next = try stream?.source.next()
                if next != nil, stream?.callFaults?.sends() == false { throw CallFaults.lost }
                try sendElement(next)
            } catch {
                let hasBegun = stream?.hasBegun ?? false
                stream = nil
                if !hasBegun { return send(.error(error)) }
                // Half of an array has left; the only way to say no more is to break off.
                context.close(promise: nil)
            }
        }
        context?.flush()
    }

    private func sendElement(_ message: [UInt8]?) throws(HearthError) {
        guard let stream else { return }
        var buffer = ByteBuffer()
        if let message {
            let json = try ProtoToJSON.json(of: message, as: stream.answerName)
            buffer.writeString(stream.hasBegun ? ",\n" : "[")
            buffer.writeBytes(json)
        } else {
            buffer.writeString(stream.hasBegun ? "]\n" : "[]\n")
        }
        if !stream.hasBegun {
            begin(.ok, ["content-type": "application/json"])
            self.stream?.hasBegun = true
        }
        write(.body(.byteBuffer(buffer)))
        if message == nil {
            self.stream = nil
            end()
        }
    }

    func begin(_ status: HTTPResponseStatus, _ headers: HTTPHeaders) {
        guard let request = head else { return }
        var headers = headers
        if isForPages, let origin = request.headers.first(name: "origin") {
            headers.add(name: "access-control-allow-origin", value: origin)
            headers.add(
                name: "access-control-allow-methods", value: "DELETE,GET,HEAD,PATCH,POST,PUT")
            headers.add(name: "access-control-allow-credentials", value: "true")
            if let names = request.headers.first(name: "access-control-request-headers") {
                headers.add(name: "access-control-allow-headers", value: names)
            }
            headers.add(name: "vary", value: "Origin")
        }
        if !request.isKeepAlive || isStopping { headers.add(name: "connection", value: "close") }
        write(.head(HTTPResponseHead(version: request.version, status: status, headers: headers)))
    }

    func write(_ part: HTTPServerResponsePart) {
        context?.write(wrapOutboundOut(part), promise: nil)
    }

    func end() {
        isBusy = false
        guard let context else { return }
        let closes = isStopping || head?.isKeepAlive != true
        head = nil
        leavingCount += 1
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        written.assumeIsolated().whenComplete { [self] _ in
            leavingCount -= 1
            if closes { context.close(promise: nil) } else { closeIfDone() }
        }
    }
}

extension HTTPRequestHead {
    /// Whether the client asks for answers packed as gzip.
    fileprivate var takesGzip: Bool {
        headers[canonicalForm: "accept-encoding"].contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            return parts.first?.lowercased() == "gzip" && !parts.dropFirst().contains("q=0")
        }
    }
}
