import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import NIOHTTP1

/// Serves requests of HTTP/1.1: REST, browsers' streams, and endpoints for tests.
struct RESTService: Sendable {
    let service: FirestoreService
    let helpers: HelperEndpoints
    let channels: WebChannels
    let webGuard: WebGuard
    let bodies: BodyQueue

    /// Answers a request that is not for the Realtime Database.
    func answer(_ exchange: HTTPExchange) {
        let head = exchange.head
        if let refusal = webGuard.refusal(
            of: head.headers, for: exchange.target.map(HelperEndpoints.area) ?? .database,
            at: exchange.localAddress)
        {
            // The answer has no headers that let a web page read it.
            return exchange.send(.error(refusal))
        }
        exchange.commonHeaders = head.headersForPages
        if exchange.isTooLarge { return exchange.send(.error(.tooLarge)) }
        if head.method == .OPTIONS { return exchange.send(.empty) }
        guard let target = exchange.target else { return exchange.send(.unreadableTarget) }
        let verb = head.method.rawValue
        bodies.read(exchange) { body in
            RESTBody(body, verb: verb, target: target)
        } then: { exchange, body in
            answer(body, target, exchange)
        }
    }

    private func answer(_ body: RESTBody, _ target: HTTPTarget, _ exchange: HTTPExchange) {
        switch body {
        case .bytes(let bytes):
            if let method = WebChannelRequest.method(target) {
                return answerChannel(method, target, exchange, bytes)
            }
            let verb = exchange.head.method.rawValue
            if helpers.answer(verb, target, bytes, exchange.replier()) { return }
            exchange.send(.notFound)
        case .call(let route, let request):
            do throws(HearthError) {
                try call(route, request, exchange)
            } catch {
                exchange.send(.error(error))
            }
        case .nowhere: exchange.send(.notFound)
        case .unreadable(let fault): exchange.send(Self.reply(to: fault, in: exchange.head))
        case .refused(let error): exchange.send(.error(error))
        }
    }

    private static func reply(
        to fault: HTTPExchange.BodyFault, in head: HTTPRequestHead
    ) -> HTTPReply {
        switch fault {
        case .tooLarge: .error(.tooLarge)
        case .unknownCoding: .unknownCoding(of: head)
        case .broken: .error(JSONToProto.invalid)
        }
    }

    private func call(
        _ route: RESTRoute, _ request: [UInt8], _ exchange: HTTPExchange
    ) throws(HearthError) {
        let caller = try Caller(
            authorization: exchange.head.headers.first(name: "authorization"))
        let faults = helpers.faults.take(route.method.call)
        if let refusal = faults?.refusal { throw refusal }
        let answer = RESTAnswer(exchange, of: route.answerName, faults: faults)
        let delay = faults?.delay ?? .zero
        if delay > .zero {
            _ = exchange.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
                call(route.method, request, caller, answer)
            }
        } else {
            call(route.method, request, caller, answer)
        }
    }

    private func call(
        _ method: FirestoreMethod, _ request: [UInt8], _ caller: Caller, _ answer: RESTAnswer
    ) {
        let eventLoop = answer.exchange.eventLoop
        let bound = NIOLoopBound(answer, eventLoop: eventLoop)
        service.called(by: caller).answer(method, ByteBuffer(bytes: request)) { result in
            if eventLoop.inEventLoop {
                bound.value.answered(result)
            } else {
                eventLoop.execute { bound.value.answered(result) }
            }
        }
    }
}

extension HTTPRequestHead {
    /// Headers that let a page of another origin read the answer, as Firestore lets every page.
    var headersForPages: HTTPHeaders {
        guard let origin = headers.first(name: "origin") else { return [:] }
        var result: HTTPHeaders = [
            "access-control-allow-origin": origin,
            "access-control-allow-methods": "DELETE,GET,HEAD,PATCH,POST,PUT",
            "access-control-allow-credentials": "true",
        ]
        if let names = headers.first(name: "access-control-request-headers") {
            result.add(name: "access-control-allow-headers", value: names)
        }
        result.add(name: "vary", value: "Origin")
        return result
    }
}
