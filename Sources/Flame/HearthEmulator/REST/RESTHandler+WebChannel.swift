import HearthModel
import NIOCore
import NIOHTTP1

/// Streams for browsers: each request of a WebChannel, and the answer that goes on of a back channel.
extension RESTHandler {
    /// A back channel whose answer has begun on this connection.
    struct Line {
        let id: WebChannelSession.LineID
        let session: WebChannels.Handle
    }

    /// Answers a request for a channel.
    func answerChannel(
        _ method: FirestoreMethod, _ target: RESTTarget, _ head: HTTPRequestHead, _ body: [UInt8]
    ) {
        let request: WebChannelRequest
        do throws(WebChannelRequest.Fault) {
            request = try WebChannelRequest(
                verb: head.method.rawValue, target, body: body)
        } catch {
            return send(.channelFault(error.reason))
        }
        switch request {
        case .open(let form, let headers, let namesSession):
            open(method, form, headers, namesSession, head)
        case .send(let name, let form, let acknowledged):
            guard let session = channels.session(name) else { return send(.unknownSession) }
            let reply = replier()
            session.run { call in
                call.received(form, acknowledged: acknowledged) { result in
                    switch result {
                    case .success(let bytes): reply(.channel(bytes))
                    case .failure(.tooFarAhead): reply(.channelFault("Too many maps are missing."))
                    }
                }
            }
        case .attach(let name, let acknowledged, let isLongPoll, let patience):
            guard let session = channels.session(name) else { return send(.unknownSession) }
            let line = beginLine(session)
            session.run { call in
                call.attached(
                    line, acknowledged: acknowledged, isLongPoll: isLongPoll, patience: patience)
            }
        case .terminate(let name):
            guard let session = channels.session(name) else { return send(.unknownSession) }
            session.run { $0.terminated() }
            send(.channel([]))
        }
    }

    private func open(
        _ method: FirestoreMethod, _ form: WebChannelForm, _ headers: String,
        _ namesSession: Bool, _ head: HTTPRequestHead
    ) {
        let authorization =
            WebChannelForm.header("authorization", in: headers)
            ?? head.headers.first(name: "authorization")
        guard let opened = channels.open(method, authorization: authorization, on: eventLoop)
        else { return send(.tooManySessions) }
        opened.handle.run { call in
            call.received(form, acknowledged: nil) { _ in }
        }
        var reply = RESTReply.channel(WebChannelSession.greeting(opened.name))
        if namesSession { reply.headers.add(name: "x-http-session-id", value: opened.name) }
        send(reply)
    }

    /// Sends an answer from any thread.
    private func replier() -> @Sendable (RESTReply) -> Void {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        return { [eventLoop] reply in
            eventLoop.execute { bound.value.send(reply) }
        }
    }

    /// Begins an answer that goes on.
    private func beginLine(_ session: WebChannels.Handle) -> WebChannelLine {
        let id = channels.nextLine()
        line = Line(id: id, session: session)
        var headers = RESTReply.channelHeaders
        headers.add(name: "content-type", value: RESTReply.channelType)
        begin(.ok, headers)
        context?.flush()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        return WebChannelLine(
            id: id,
            write: { [eventLoop] bytes in
                eventLoop.execute { bound.value.write(bytes, to: id) }
            },
            end: { [eventLoop] in
                eventLoop.execute { bound.value.endLine(id) }
            })
    }

    private func write(_ bytes: [UInt8], to id: WebChannelSession.LineID) {
        guard line?.id == id else { return }  // Race: the connection is gone.
        write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
        context?.flush()
    }

    private func endLine(_ id: WebChannelSession.LineID) {
        guard line?.id == id else { return }  // Race: the connection is gone.
        line = nil
        end()
    }

    /// Nobody is there any more to fetch.
    func loseLine() {
        guard let line else { return }
        self.line = nil
        line.session.run { $0.lost(line.id) }
    }
}

extension RESTReply {
    /// What browsers may see of an answer, and that nobody keeps it.
    static let channelHeaders: HTTPHeaders = [
        "access-control-expose-headers":
            "x-client-wire-protocol, x-http-session-id, x-http-initial-response",
        "cache-control": "private, max-age=0", "x-content-type-options": "nosniff",
    ]
    /// What an answer of a channel is.
    static let channelType = "text/plain; charset=utf-8"

    /// An answer of a channel.
    static func channel(_ bytes: [UInt8]) -> RESTReply {
        RESTReply(status: 200, contentType: channelType, body: bytes, headers: channelHeaders)
    }

    /// A request that no channel understands. Clients give up.
    static func channelFault(_ reason: String) -> RESTReply {
        var reply = text("Bad request. \(reason)", status: 400)
        reply.headers = channelHeaders
        return reply
    }

    /// A session that is over or never was. Clients look for these words.
    static let unknownSession = channelFault("Unknown SID.")

    /// No more sessions fit.
    static let tooManySessions = text(
        "There are \(WebChannelLimits.sessionCountMax) sessions, which is the limit.", status: 429)
}
