import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC

/// Hands a client's requests to the backend.
extension RealtimeSocket {
    /// Carries out a request, with the faults that befall it.
    func take(_ request: RealtimeRequest) {
        guard let method = RealtimeMethod(request.action), let faults = service.faults.take(method)
        else { return carryOut(request) }
        hold(for: faults.call.delay) { socket in
            if faults.call.losesAnswer { socket.lostAnswers.insert(request.number) }
            if let refusal = faults.call.refusal {
                socket.refuse(request.number, RealtimeRefusal(fault: refusal))
            } else {
                socket.carryOut(request)
            }
        }
    }

    private func refuse(_ number: Int, _ refusal: RealtimeRefusal) {
        guard let id else { return }
        host.answer(.refused(refusal), number: number, to: id)
    }

    private func carryOut(_ request: RealtimeRequest) {
        let number = request.number
        switch request.action {
        case .listen(let wish):
            var listen = RealtimeBackend.Listen(wish.path, wish.query, tag: wish.tag)
            listen.hash = wish.hash
            listen.ranges = wish.ranges
            ask(.listen(listen), number)
        case .unlisten(let path, let query, let tag):
            ask(.unlisten(path, query, tag: tag), number)
        case .get(let path, let query): ask(.get(path, query), number)
        case .put(let place, let node, let hash): ask(.put(place, node, hash: hash), number)
        case .merge(let path, let children): ask(.merge(path, children.map(\.written)), number)
        case .onDisconnectPut(let place, let node): ask(.onDisconnectPut(place, node), number)
        case .onDisconnectMerge(let path, let children):
            ask(.onDisconnectMerge(path, children.map(\.written)), number)
        case .onDisconnectCancel(let place): ask(.onDisconnectCancel(place), number)
        case .authenticate(let credential): authenticate(credential, number)
        case .unauthenticate:
            identities[number] = .text("unauthenticated")
            awaitEnd(of: nil)
            ask(.authenticate(.nobody), number)
        case .appCheck, .stats: write(RealtimeAnswer(number: number))
        case .unknown(let kind):
            write(
                RealtimeAnswer(
                    number: number, status: .failure, body: .text("\(kind) is not served here.")))
        }
    }

    private func ask(_ request: RealtimeBackend.Request, _ number: Int) {
        guard let id else { return }
        host.take(request, number: number, from: id)
    }

    /// Authenticates the connection by a token that nobody verifies.
    ///
    /// Clients send a user's token without a time of issue as a service's token. A service's token
    /// that can be read as a user's token therefore names the user. Any other service's token makes
    /// the caller an admin.
    private func authenticate(_ credential: RealtimeCredential, _ number: Int) {
        var caller: RealtimeCaller
        do throws(HearthError) {
            caller = try RealtimeToken.caller(credential.token.revealed, at: host.clock.now)
        } catch {
            guard credential.kind == .service, !RealtimeToken.isEnded(error) else {
                return write(
                    RealtimeAnswer(
                        number: number,
                        status: RealtimeToken.isEnded(error) ? .expiredToken : .invalidToken,
                        body: .text(error.message)))
            }
            caller = .admin
        }
        switch credential.override {
        case .variable(let value): caller = caller.overridden(by: value)
        case .nobody: caller = caller.overridden(by: .null)
        case nil: break
        }
        awaitEnd(of: RealtimeToken.end(of: credential.token.revealed))
        identities[number] = .value(.object([.init(name: "auth", value: caller.auth)]))
        ask(.authenticate(caller), number)
    }
}

extension RealtimeChange.Part {
    fileprivate var written: RealtimeBackend.WrittenChild {
        RealtimeBackend.WrittenChild(place, node)
    }
}
