package import HearthModel

/// What the service says.
extension LinkMachine {
    /// A message came over a WebSocket.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - socket: The WebSocket. A message of a WebSocket that was given up is ignored.
    ///   - now: The time, from which answers and pings count.
    package mutating func received(
        _ message: RealtimeServerMessage, from socket: SocketNumber, at now: Timestamp
    ) -> [LinkAction] {
        guard socket == self.socket, let link, link.phase != .asking else {
            return []  // Of a WebSocket that was given up.
        }
        heard(from: socket)
        switch message {
        case .hello(let hello): return greeted(hello, at: now)
        case .shutdown(let reason): return finish(.shutDown(Self.shortened(reason)))
        case .reset(let host): return reset(to: host)
        case .error(let text): return [.note(.complaint(Self.shortened(text)))]
        case .ping: return write(.pong)
        case .pong, .unknown: return []
        case .answer(let answer): return answered(answer, at: now)
        case .push(let push): return pushed(push)
        }
    }

    private mutating func greeted(_ hello: RealtimeHello, at now: Timestamp) -> [LinkAction] {
        guard let link, link.phase == .connecting else { return [] }  // Said again.
        hosts.name(hello.host)
        let isSession = 1...LinkLimits.sessionByteCountMax ~= hello.session.utf8.count
        lastSession = isSession ? hello.session : nil
        self.link?.silentCount = 0
        let offset = Self.offset(of: hello.time, from: now)
        let statistics = nextRequest(.stats([Self.clientName]))
        let actions =
            [.cancel(.greeting), .schedule(.pulse, after: LinkLimits.pulsePeriod)]
            + write(.request(statistics))
        self.link?.phase = .authenticating(offset: offset)
        guard let credential = link.credential else { return actions + opened(offset: offset) }
        return actions + show(credential)
    }

    private mutating func opened(offset: Int64) -> [LinkAction] {
        guard let number = link?.number else { return [] }
        link?.phase = .open
        return [.tell(.opened(number, serverTimeOffset: offset))]
    }

    /// Before the link is open, nobody minds another WebSocket. After that the engine has to know,
    /// because the next WebSocket has no listens of this link.
    private mutating func reset(to host: String) -> [LinkAction] {
        guard let phase = link?.phase else { return [] }
        hosts.name(host)
        switch phase {
        case .asking: return []
        case .connecting, .authenticating: return move(.sentAround(hosts.current))
        case .open: return finish(nil)
        }
    }

    private mutating func answered(_ answer: RealtimeAnswer, at now: Timestamp) -> [LinkAction] {
        guard let link else { return [] }
        if answer.number == link.authentication { return authenticated(by: answer, at: now) }
        // The answer to our statistics says nothing, and some answers belong to no request.
        guard let number = self.link?.requests.removeValue(forKey: answer.number) else { return [] }
        let theirs = RealtimeAnswer(number: number, status: answer.status, body: answer.body)
        return [.tell(.answered(link.number, theirs))]
    }

    private mutating func authenticated(
        by answer: RealtimeAnswer, at now: Timestamp
    ) -> [LinkAction] {
        guard let offered = link?.offered, let phase = link?.phase else { return [] }
        link?.authentication = nil
        guard answer.status == .ok else { return refused(offered, answer.status, answer.body) }
        link?.credential = offered
        let believed: [LinkAction] =
            [.cancel(.authentication), .believe(offered.shown.token)]
            + renewal(of: offered, Self.end(in: answer.body), at: now)
        guard case .authenticating(let offset) = phase else { return believed }
        return believed + opened(offset: offset)
    }

    private mutating func pushed(_ push: RealtimePush) -> [LinkAction] {
        guard let link else { return [] }
        switch push {
        case .authRevoked(let status, let reason):
            guard let credential = link.credential else { return [] }
            return refused(credential, status, .text(reason))
        case .debug(let text): return [.note(.rules(Self.shortened(text)))]
        case .appCheckRevoked, .unknown: return []  // We show no token of App Check.
        case .overwrite, .merge, .ranges, .revoked:
            return link.phase == .open ? [.tell(.pushed(link.number, push))] : []
        }
    }

    /// The service does not believe a credential, or no longer. Only a service that judged the
    /// token tells something of the token.
    private mutating func refused(
        _ credential: LinkCredential, _ status: RealtimeStatus, _ body: RealtimeBody
    ) -> [LinkAction] {
        let isJudged = [.expiredToken, .invalidToken, .permissionDenied].contains(status)
        let isSearched = body.json.count <= LinkLimits.identityByteCountMax
        let words = credential.shown.token.removed(from: isSearched ? body.text ?? "" : "")
        let error = HearthError.refused(
            Self.shortened(status.word), Self.shortened(words), isJudged: isJudged)
        return (isJudged ? [.refuse(credential.shown.token)] : []) + finish(error)
    }

    private func renewal(
        of credential: LinkCredential, _ end: Timestamp?, at now: Timestamp
    ) -> [LinkAction] {
        guard let end = [end, credential.expiresAt].compactMap({ $0 }).min() else { return [] }
        let pause = end.since(now) - LinkLimits.renewalLead
        return [
            .schedule(
                .renewal,
                after: min(max(pause, LinkLimits.renewalPauseMin), LinkLimits.renewalPauseMax))
        ]
    }

    /// When the service forgets a credential, as its answer says.
    private static func end(in body: RealtimeBody) -> Timestamp? {
        guard body.json.count <= LinkLimits.identityByteCountMax,
            let seconds = (try? JSONReader.read(body.json))?["expires"]?.integer
        else { return nil }
        return Timestamp(seconds: seconds, nanoseconds: 0)
    }

    /// The service's clock less ours, in milliseconds.
    private static func offset(of time: Int64, from now: Timestamp) -> Int64 {
        let ours = now.microseconds / 1_000
        let (offset, isTooLarge) = time.subtractingReportingOverflow(ours)
        if isTooLarge { return time < 0 ? -LinkLimits.clockOffsetMax : LinkLimits.clockOffsetMax }
        return min(max(offset, -LinkLimits.clockOffsetMax), LinkLimits.clockOffsetMax)
    }

    private static func shortened(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(LinkLimits.textCountMax)))
    }

    /// Our name in the service's statistics, which take no dots.
    private static let clientName = "sdk.hearth.0-1-0"
}

extension HearthError {
    static func closedEarly(_ host: String) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "\(host) closed the connection before the connection was ready.")
    }

    static func silentAtFirst(_ host: String) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "\(host) did not say hello within \(LinkLimits.greetingTimeout).")
    }

    static func silentOnIdentity(_ host: String) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "\(host) did not say within \(LinkLimits.authenticationTimeout) whether it "
                + "believes our credentials.")
    }

    static func silent(_ host: String) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "\(host) has said nothing for a minute and answers no ping.")
    }

    static func sentAround(_ host: String) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "The service sends us from host to host, the last time to \(host).")
    }

    /// The service asks clients to stop. The code makes whoever tries again wait for long.
    static func shutDown(_ reason: String) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The service has shut the connection down: \(reason)")
    }

    static func refused(_ status: String, _ words: String, isJudged: Bool) -> HearthError {
        HearthError(
            code: isJudged ? .unauthenticated : .unavailable,
            message: "The service does not take our credentials: \(status)"
                + (words.isEmpty ? "." : " (\(words))."))
    }
}
