import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import NIOHTTP1

/// Streams for browsers: answers the requests of WebChannels, with long answers to back channels.
extension RESTService {
    /// Answers a request for a channel.
    func answerChannel(
        _ method: FirestoreMethod, _ target: HTTPTarget, _ exchange: HTTPExchange, _ body: [UInt8]
    ) {
        let request: WebChannelRequest
        do throws(WebChannelRequest.Fault) {
            request = try WebChannelRequest(
                verb: exchange.head.method.rawValue, target, body: body)
        } catch {
            return exchange.send(.channelFault(error.reason))
        }
        switch request {
        case .open(let form, let headers, let namesSession):
            open(method, form, headers, namesSession, exchange)
        case .send(let name, let form, let acknowledged):
            guard let session = channels.session(name) else {
                return exchange.send(.unknownSession)
            }
            let reply = exchange.replier()
            session.run { call in
                call.received(form, acknowledged: acknowledged) { result in
                    switch result {
                    case .success(let bytes): reply(.channel(bytes))
                    case .failure(.tooFarAhead): reply(.channelFault("Too many maps are missing."))
                    }
                }
            }
        case .attach(let name, let acknowledged, let isLongPoll, let patience):
            guard let session = channels.session(name) else {
                return exchange.send(.unknownSession)
            }
            let line = WebChannelFetch(channels.nextLine(), of: session, on: exchange).begin()
            session.run { call in
                call.attached(
                    line, acknowledged: acknowledged, isLongPoll: isLongPoll, patience: patience)
            }
        case .terminate(let name):
            guard let session = channels.session(name) else {
                return exchange.send(.unknownSession)
            }
            let reply = exchange.replier()
            session.run { call in
                call.terminated()
                reply(.channel([]))  // Only now: who reads this finds the session gone.
            }
        }
    }

    private func open(
        _ method: FirestoreMethod, _ form: WebChannelForm, _ headers: String,
        _ namesSession: Bool, _ exchange: HTTPExchange
    ) {
        let authorization =
            WebChannelForm.header("authorization", in: headers)
            ?? exchange.head.headers.first(name: "authorization")
        guard
            let opened = channels.open(
                method, authorization: authorization, on: exchange.eventLoop)
        else { return exchange.send(.tooManySessions) }
        opened.handle.run { call in
            call.received(form, acknowledged: nil) { _ in }
        }
        var reply = HTTPReply.channel(WebChannelSession.greeting(opened.name))
        if namesSession { reply.headers.add(name: "x-http-session-id", value: opened.name) }
        exchange.send(reply)
    }
}

extension HTTPReply {
    /// Headers that let pages read an answer's headers, and keep caches from storing the answer.
    static let channelHeaders: HTTPHeaders = [
        "access-control-expose-headers":
            "x-client-wire-protocol, x-http-session-id, x-http-initial-response",
        "cache-control": "private, max-age=0", "x-content-type-options": "nosniff",
    ]
    /// The media type of a channel's answers.
    static let channelType = "text/plain; charset=utf-8"

    /// An answer of a channel.
    static func channel(_ bytes: [UInt8]) -> HTTPReply {
        HTTPReply(status: 200, contentType: channelType, body: bytes, headers: channelHeaders)
    }

    /// The answer to a request that no channel understands. Clients that get this answer give up.
    static func channelFault(_ reason: String) -> HTTPReply {
        var reply = text("Bad request. \(reason)", status: 400)
        reply.headers = channelHeaders
        return reply
    }

    /// The answer for a session that is over or never was.
    ///
    /// Clients look for the words `Unknown SID`.
    static let unknownSession = channelFault("Unknown SID.")

    /// The answer to a new session beyond the limit.
    static let tooManySessions = text(
        "There are \(WebChannelLimits.sessionCountMax) sessions, which is the limit.", status: 429)
}
