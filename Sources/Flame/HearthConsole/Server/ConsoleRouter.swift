import HearthModel
import HearthRPC
import NIOCore
import NIOHTTP1
import Synchronization

/// Answers the requests that the guard admits: files of the page at once, the rest by the service.
final class ConsoleRouter: Sendable {
    private struct State {
        var gate: ConsoleGuard?
        var entered: (@Sendable () -> Void)?
        var requestCount = 0
        var streamCount = 0
    }

    private let service: ConsoleService
    private let peers: ConsolePeers
    private let state = Mutex(State())

    /// A router that refuses all until it is opened.
    init(_ service: ConsoleService, _ peers: ConsolePeers) {
        self.service = service
        self.peers = peers
    }

    /// Begins to let the browser in that brings the secret.
    func open(_ gate: ConsoleGuard, entered: @escaping @Sendable () -> Void) {
        state.withLock {
            $0.gate = gate
            $0.entered = entered
        }
    }

    /// The router reads the body of an admitted request only.
    func bodyByteCountMax(for head: HTTPRequestHead, from uid: UInt32) -> Int {
        switch verdict(on: head, from: uid) {
        case .entry: ConsoleLimits.entryByteCountMax
        case .admitted: ConsoleLimits.bodyByteCountMax
        case .refused, nil: 0
        }
    }

    /// Answers a request of a user, or closes the connection.
    func answer(_ exchange: HTTPExchange, from uid: UInt32) {
        exchange.commonHeaders = PageHeaders.all
        switch verdict(on: exchange.head, from: uid) {
        case nil: exchange.breakOff()
        case .refused(401, let error) where exchange.head.uri == "/":
            exchange.send(.refusal(error))
        case .refused(let status, let error): exchange.send(.failure(error, status: status))
        case .entry: enter(exchange, uid)
        case .admitted: admit(exchange)
        }
    }

    /// Nothing if the user is not answered, or the console is not open yet.
    private func verdict(on head: HTTPRequestHead, from uid: UInt32) -> ConsoleGuard.Verdict? {
        guard peers.answers(uid) else { return nil }
        return state.withLock { $0.gate?.verdict(on: head) }
    }

    private func enter(_ exchange: HTTPExchange, _ uid: UInt32) {
        let text = (try? exchange.unpackedBody()).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let secret = HTTPTarget("/?" + text)?.parameter("secret") ?? ""
        let (cookie, entered) = state.withLock { state -> (String?, (@Sendable () -> Void)?) in
            guard state.gate?.enter(with: secret) == true else { return (nil, nil) }
            defer { state.entered = nil }
            return (state.gate?.setCookie, state.entered)
        }
        guard let cookie else {
            return exchange.send(.failure(ConsoleGuard.wrongSecret, status: 403))
        }
        peers.open(to: uid)
        entered?()
        // Not a redirect: a browser would take it for a part of the navigation that came from a file, and
        // would keep the cookie back.
        var reply = HTTPReply.page(
            #"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Hearth</title>"#
                + #"<meta http-equiv="refresh" content="0; url=/"></head><body></body></html>"#)
        reply.headers.add(name: "set-cookie", value: cookie)
        exchange.send(reply)
    }

    private func admit(_ exchange: HTTPExchange) {
        guard let target = exchange.target else {
            return exchange.send(
                .failure(.argument("The request's address cannot be read."), status: 400))
        }
        guard target.segments.first == "api" else {
            return exchange.send(PageFile.reply(to: target))
        }
        let name = target.segments.dropFirst().joined(separator: "/")
        let isPost = exchange.head.method == .POST
        if let stream = ConsoleStream(rawValue: name), !isPost {
            return begin(stream, target, exchange)
        }
        guard let route = ConsoleRoute(rawValue: name) else {
            return exchange.send(.failure(.unknown(name), status: 404))
        }
        guard route.isPost == isPost else {
            let method = route.isPost ? "POST" : "GET"
            return exchange.send(
                .failure(.argument("\(name) is asked by \(method)."), status: 405))
        }
        ask(route, target, exchange)
    }

    private func ask(_ route: ConsoleRoute, _ target: HTTPTarget, _ exchange: HTTPExchange) {
        let body: [UInt8]
        do throws(HTTPExchange.BodyFault) {
            body = try exchange.unpackedBody()
        } catch {
            return exchange.send(.failure(.badBody, status: error == .tooLarge ? 413 : 415))
        }
        guard take(\.requestCount, ConsoleLimits.requestCountMax) else {
            return exchange.send(.failure(.tooMany("requests"), status: 503))
        }
        let reply = exchange.replier()
        Task { [service] in
            let answer = await service.answer(route, target, body)
            self.giveBack(\.requestCount)
            reply(answer)
        }
    }

    private func begin(_ kind: ConsoleStream, _ target: HTTPTarget, _ exchange: HTTPExchange) {
        guard take(\.streamCount, ConsoleLimits.streamCountMax) else {
            return exchange.send(.failure(.tooMany("streams"), status: 503))
        }
        let stream = EventStream(exchange)
        let outlet = stream.begin()
        let task = Task { [service] in
            await service.run(kind, target, outlet)
            outlet.end()
        }
        stream.whenClosed { [self] in
            task.cancel()
            giveBack(\.streamCount)
        }
    }

    private func take(_ count: any WritableKeyPath<State, Int> & Sendable, _ countMax: Int) -> Bool
    {
        state.withLock { state in
            guard state[keyPath: count] < countMax else { return false }
            state[keyPath: count] += 1
            return true
        }
    }

    private func giveBack(_ count: any WritableKeyPath<State, Int> & Sendable) {
        state.withLock { $0[keyPath: count] -= 1 }
    }
}
