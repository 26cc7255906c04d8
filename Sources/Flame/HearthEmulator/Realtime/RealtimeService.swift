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

    /// Answers a request that is for the Realtime Database.
    func answer(_ exchange: HTTPExchange) {
        let head = exchange.head
        guard let target = exchange.target else { return exchange.send(.notFound) }
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
                try RealtimeSettings(host: host).answer(name, address, exchange)
            case .inspection(let name):
                try RealtimeSettings(host: host).inspect(name, address, exchange)
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
        var call = RealtimeCall(try verb(place, exchange, address), at: place)
        call.parameters = parameters
        call.ifMatch = head.headers.first(name: "if-match")
        call.ifNoneMatch = head.headers.first(name: "if-none-match")
        call.wantsTag = head.headers.first(name: "x-firebase-etag")?.lowercased() == "true"
        suffer(RealtimeMethod(call.verb), exchange) { exchange, faults in
            carryOut(call, address, exchange, losesAnswer: faults?.losesAnswer ?? false)
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

    /// The call's verb, with the data of the body.
    private func verb(
        _ place: WritePath, _ exchange: HTTPExchange, _ address: RealtimeAddress
    ) throws(HearthError) -> RealtimeCall.Verb {
        var method = exchange.head.method.rawValue
        if method == "POST" {
            let name = "x-http-method-override"
            let other =
                exchange.head.headers.first(name: name)
                ?? address.parameters.last { $0.name.lowercased() == name }?.value
            if let other { method = other.uppercased() }
        }
        switch method {
        case "GET", "HEAD": return .read
        case "DELETE": return .remove
        case "PUT": return .put(try node(exchange, below: place.path.depth))
        case "POST": return .push(try node(exchange, below: place.path.depth + 1))
        case "PATCH": return .merge(try children(exchange, below: place.path))
        default: throw .argument("\(method) is no method of the REST API")
        }
    }

    private func node(
        _ exchange: HTTPExchange, below depth: Int
    ) throws(HearthError) -> UnresolvedNode {
        let body = try Self.body(exchange)
        do throws(NodeError) {
            return try NodeReader.read(body, depthMax: RealtimePath.depthMax - depth)
        } catch {
            throw Self.invalid(error, unreadable: "couldn't parse JSON object, array, or value.")
        }
    }

    /// A multi-path update: an object whose names are paths.
    private func children(
        _ exchange: HTTPExchange, below path: RealtimePath
    ) throws(HearthError) -> [RealtimeChange.Part] {
        let body = try Self.body(exchange)
        do throws(NodeError) {
            return try RealtimeUpdate.read(body, below: path)
        } catch {
            throw Self.invalid(
                error,
                unreadable: "couldn't parse JSON object. Are you sending a JSON object with "
                    + "valid key names?")
        }
    }

    private static func body(_ exchange: HTTPExchange) throws(HearthError) -> [UInt8] {
        do throws(HTTPExchange.BodyFault) {
            return try exchange.unpackedBody()
        } catch {
            switch error {
            case .tooLarge: throw .argument("The request is larger than may be written at once.")
            case .unknownCoding:
                throw .argument("Bodies may be packed by \(ContentCoding.names) only")
            case .broken: throw .argument("The body is not packed as it says.")
            }
        }
    }

    /// Tells what is wrong with a body.
    ///
    /// - Parameter unreadable: The service's words for a body that is not the JSON that was expected.
    private static func invalid(_ error: NodeError, unreadable: String) -> HearthError {
        if case .notJSON = error { return .argument("Invalid data; \(unreadable)") }
        return .argument("Invalid data; \(error)")
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
