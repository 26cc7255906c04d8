import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import NIOHTTP1

/// Serves the Realtime Database by REST: data, streams of changes, settings.
struct RealtimeService: Sendable {
    let host: RealtimeHost
    let webGuard: WebGuard
    let registry: ConnectionRegistry
    let faults: FaultTable
    let times: RealtimeTimes
    /// How the host wakes connections that have something to send.
    let wakes = RealtimeWakes()
    private let bodies: BodyQueue

    /// A service of a host's trees.
    init(
        host: RealtimeHost, webGuard: WebGuard, registry: ConnectionRegistry, faults: FaultTable,
        times: RealtimeTimes, bodies: BodyQueue
    ) {
        self.host = host
        self.webGuard = webGuard
        self.registry = registry
        self.faults = faults
        self.times = times
        self.bodies = bodies
    }

    /// Answers a request that is for the Realtime Database.
    func answer(_ exchange: HTTPExchange) {
        let head = exchange.head
        guard let target = exchange.target else { return exchange.send(.unreadableTarget) }
        let isData = ![".settings", ".inspect"].contains(target.segments.first ?? "")
        if let refusal = webGuard.refusal(
            of: head.headers, for: isData ? .database : .helpers, at: exchange.localAddress)
        {
            // The answer has no headers that let a web page read it.
            return exchange.send(.realtimeError(refusal))
        }
        exchange.commonHeaders = head.headersForPages
        exchange.commonHeaders.add(name: "cache-control", value: "no-cache")
        if head.method == .OPTIONS { return exchange.send(.empty) }
        do throws(HearthError) {
            let address = try RealtimeAddress(target, head.headers, at: host.clock.now)
            switch address.subject {
            case .data(let place): try answer(place, address, exchange)
            case .setting(let name):
                try RealtimeSettings(host: host, bodies: bodies).answer(name, address, exchange)
            case .inspection(let name):
                try RealtimeSettings(host: host, bodies: bodies).inspect(name, address, exchange)
            }
        } catch {
            exchange.send(.realtimeError(error))
        }
    }

    private func answer(
        _ place: WritePath, _ address: RealtimeAddress, _ exchange: HTTPExchange
    ) throws(HearthError) {
        let head = exchange.head
        let parameters: RealtimeCallParameters
        do throws(RealtimeRefusal) {
            parameters = try RealtimeCallParameters(
                address.parameters.map { ($0.name, $0.value) })
        } catch {
            return exchange.send(.realtime(RealtimeReply(error), isPretty: false))
        }
        let accepted = head.headers[canonicalForm: "accept"]
        if head.method == .GET, accepted.contains(where: { $0.hasPrefix("text/event-stream") }) {
            guard !place.isPriority else {
                throw .argument(
                    "A stream tells a node, if asked with its priority: format=export.")
            }
            return suffer(.listen, exchange) { exchange, faults in
                RealtimeEventStream(exchange, service: self, faults: faults)
                    .begin(place.path, parameters, address)
            }
        }
        switch try verb(exchange, address) {
        case .bodyless(let verb): begin(verb, at: place, parameters, address, exchange)
        case .bodied(let method):
            let reader = RealtimeBodyReader(method: method, path: place.path)
            bodies.read(exchange, { reader.read($0) }) { exchange, result in
                switch result {
                case .success(let verb): begin(verb, at: place, parameters, address, exchange)
                case .failure(let fault): exchange.send(fault.reply)
                }
            }
        }
    }

    private func begin(
        _ verb: RealtimeCall.Verb, at place: WritePath, _ parameters: RealtimeCallParameters,
        _ address: RealtimeAddress, _ exchange: HTTPExchange
    ) {
        let headers = exchange.head.headers
        var call = RealtimeCall(verb, at: place)
        call.parameters = parameters
        call.ifMatch = headers.first(name: "if-match")
        call.ifNoneMatch = headers.first(name: "if-none-match")
        call.wantsTag = headers.first(name: "x-firebase-etag")?.lowercased() == "true"
        let whole = call
        suffer(RealtimeMethod(verb), exchange) { exchange, faults in
            carryOut(whole, address, exchange, losesAnswer: faults?.losesAnswer ?? false)
        }
    }

    private func carryOut(
        _ call: RealtimeCall, _ address: RealtimeAddress, _ exchange: HTTPExchange,
        losesAnswer: Bool
    ) {
        let reply = exchange.replier(losing: losesAnswer)
        let isPretty = call.parameters.print == .pretty
        host.call(call, of: address.namespace, by: address.caller) { result in
            switch result {
            case .success(let answer): reply(.realtime(answer, isPretty: isPretty))
            case .failure(let error): reply(.realtimeError(error))
            }
        }
    }

    /// Does something with the faults that befall it: later, or not at all.
    private func suffer(
        _ method: RealtimeMethod, _ exchange: HTTPExchange,
        _ body: @escaping (HTTPExchange, CallFaults?) -> Void
    ) {
        guard let faults = faults.take(method)?.call else { return body(exchange, nil) }
        if let refusal = faults.refusal {
            let reply = RealtimeReply(RealtimeRefusal(fault: refusal))
            return exchange.send(.realtime(reply, isPretty: false))
        }
        guard faults.delay > .zero else { return body(exchange, faults) }
        let bound = NIOLoopBound((exchange, body), eventLoop: exchange.eventLoop)
        exchange.eventLoop.scheduleTask(in: TimeAmount(faults.delay)) {
            bound.value.1(bound.value.0, faults)
        }
    }

    /// What a call does, as far as its head tells.
    private enum HeadVerb {
        case bodyless(RealtimeCall.Verb)
        case bodied(RealtimeBodyReader.Method)
    }

    private func verb(
        _ exchange: HTTPExchange, _ address: RealtimeAddress
    ) throws(HearthError) -> HeadVerb {
        var method = exchange.head.method.rawValue
        if method == "POST" {
            let name = "x-http-method-override"
            let other =
                exchange.head.headers.first(name: name)
                ?? address.parameters.last { $0.name.lowercased() == name }?.value
            if let other { method = other.uppercased() }
        }
        switch method {
        case "GET", "HEAD": return .bodyless(.read)
        case "DELETE": return .bodyless(.remove)
        case "PUT": return .bodied(.put)
        case "POST": return .bodied(.push)
        case "PATCH": return .bodied(.merge)
        default: throw .argument("\(method) is no method of the REST API")
        }
    }
}

extension RealtimeMethod {
    /// The method of a call of REST.
    init(_ verb: RealtimeCall.Verb) {
        switch verb {
        case .read: self = .get
        case .put, .push, .remove: self = .put
        case .merge: self = .merge
        }
    }
}

extension HTTPExchange {
    /// A way to answer from any thread, or to break the connection off where the answer would be.
    fileprivate func replier(losing isLost: Bool) -> @Sendable (HTTPReply) -> Void {
        guard isLost else { return replier() }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        return { [eventLoop] _ in eventLoop.execute { bound.value.breakOff() } }
    }
}
