package import HearthEngine
package import HearthModel

/// Keeps one WebSocket to a Realtime Database alive. Decides; the shell connects, sends, waits,
/// asks.
///
///     idle --open--> asking --credential--> connecting --hello--> authenticating --ok--> open
///      ^               |                      |    ^                 |   |                |
///      |               |                      |    +--another host---+   |                |
///      +----failed, closed, shut down, refused, silent-------------------+----------------+
///
/// The engine hears `opened` once the service has said hello and has believed us, and then `closed`
/// at most once. The machine outlives its links: the machine remembers the host that the service
/// named, and the session that the next WebSocket replaces.
///
/// Requests are numbered anew: from 1, rising by one with each request over all links, as the
/// service is used to. So the engine and the link never use one number, and an answer that nobody
/// asked for reaches nobody.
///
/// A service that has sent nothing between three pulses is pinged, and is given up at the next
/// pulse. A keep-alive is sent if we have sent nothing between three pulses, since the service
/// gives up silent clients too.
///
/// - Source: firebase-js-sdk `realtime/Connection.ts` and `core/PersistentConnection.ts`.
package struct LinkMachine: Sendable {
    enum Phase: Hashable, Sendable {
        case asking
        case connecting
        case authenticating(offset: Int64)
        case open
    }

    struct Link: Sendable {
        let number: StreamNumber
        let user: UserID
        var phase = Phase.asking
        /// The last question for a credential.
        var question: QuestionNumber
        /// What was shown; `nil` if nobody is signed in.
        var credential: LinkCredential?
        /// The number of the request that shows the credential, while the answer is owed.
        var authentication: Int?
        /// The credential of that request.
        var offered: LinkCredential?
        /// The engine's numbers of the requests without an answer, by ours.
        var requests: [Int: Int] = [:]
        /// How often the service has sent us to another host.
        var moveCount = 0
        /// Pulses since the service was last heard.
        var silentCount = 0
        /// Pulses since we last sent something.
        var quietCount = 0
    }

    var link: Link?
    var hosts: LinkHosts
    var lastSession: String?
    private(set) var socket = SocketNumber(0)
    private var lastQuestion: UInt64 = 0
    private var lastRequest = 0

    /// A machine without a link.
    ///
    /// - Parameter host: The database's configured host, with the port if one is configured.
    package init(host: String) {
        hosts = LinkHosts(configured: host)
    }

    // MARK: Inputs

    /// The engine wants a link. A link that is there ends, and nothing is told of it.
    package mutating func open(_ number: StreamNumber, as user: UserID) -> [LinkAction] {
        let ending = end()
        let question = nextQuestion()
        link = Link(number: number, user: user, question: question)
        return ending + [.ask(question, as: user)]
    }

    /// The engine sends a request.
    package mutating func send(
        _ number: StreamNumber, _ request: RealtimeRequest
    ) -> [LinkAction] {
        // A race: the link ended while the request was on the way.
        guard link?.number == number, link?.phase == .open else { return [] }
        let ours = nextRequest(request.action)
        link?.requests[ours.number] = request.number
        return write(.request(ours))
    }

    /// The engine ends a link. Nothing of it is told any more.
    package mutating func close(_ number: StreamNumber) -> [LinkAction] {
        link?.number == number ? end() : []
    }

    /// The shell knows who the link's user is to the service.
    ///
    /// - Parameter result: A credential; `nil` if nothing is shown; or why there is none.
    package mutating func credentialCame(
        _ question: QuestionNumber, _ result: Result<LinkCredential?, HearthError>
    ) -> [LinkAction] {
        guard let link, link.question == question else { return [] }  // The link has ended.
        switch (link.phase, result) {
        case (.asking, .success(let credential)):
            self.link?.credential = credential
            return connect()
        case (.asking, .failure(let error)): return finish(error)
        case (.open, .success(let credential?)) where credential != link.credential:
            return show(credential)
        case (.open, _):
            return [.schedule(.renewal, after: LinkLimits.renewalPauseMin)]
        case (.connecting, _), (.authenticating, _):
            preconditionFailure("A credential came that was not asked for")
        }
    }

    /// Something came over a WebSocket, perhaps the piece of a message.
    package mutating func heard(from socket: SocketNumber) {
        if socket == self.socket { link?.silentCount = 0 }
    }

    /// A WebSocket is over, or could not be opened.
    ///
    /// - Parameter error: The failure; `nil` if the service closed it in good order.
    package mutating func ended(_ socket: SocketNumber, _ error: HearthError?) -> [LinkAction] {
        guard socket == self.socket, let link else { return [] }  // Given up meanwhile.
        switch link.phase {
        case .asking: return []
        case .connecting: return unreachable(error ?? .closedEarly(hosts.current))
        case .authenticating: return finish(error ?? .closedEarly(hosts.current))
        case .open: return finish(error)
        }
    }

    /// A timer has run out.
    ///
    /// - Parameter isReading: Whether all that the service has sent has been read. Otherwise nothing
    ///   can be told of the service's silence.
    package mutating func elapsed(_ timer: LinkTimer, isReading: Bool) -> [LinkAction] {
        guard let link else { return [] }
        switch (timer, link.phase) {
        case (.greeting, .connecting): return unreachable(.silentAtFirst(hosts.current))
        case (.authentication, .authenticating): return finish(.silentOnIdentity(hosts.current))
        case (.authentication, .open) where link.authentication != nil:
            return finish(.silentOnIdentity(hosts.current))
        case (.pulse, .authenticating), (.pulse, .open): return pulse(isReading: isReading)
        case (.renewal, .open):
            let question = nextQuestion()
            self.link?.question = question
            return [.ask(question, as: link.user)]
        case (.greeting, _), (.authentication, _), (.pulse, _), (.renewal, _):
            return []  // Fired while it was being cancelled.
        }
    }

    // MARK: Steps

    /// Opens the next WebSocket, instead of the last.
    mutating func connect() -> [LinkAction] {
        let last = socket
        let isAnother = link?.phase != .asking
        socket = SocketNumber(last.rawValue + 1)
        link?.phase = .connecting
        link?.authentication = nil
        return (isAnother ? [.disconnect(last), .cancel(.authentication), .cancel(.pulse)] : []) + [
            .connect(socket, LinkAddress(host: hosts.current, lastSession: lastSession)),
            .schedule(.greeting, after: LinkLimits.greetingTimeout),
        ]
    }

    /// Opens a WebSocket to another host, unless that has happened too often.
    mutating func move(_ error: HearthError) -> [LinkAction] {
        guard let link, link.moveCount < LinkLimits.moveCountMax else { return finish(error) }
        self.link?.moveCount += 1
        return connect()
    }

    /// Sends a credential.
    mutating func show(_ credential: LinkCredential) -> [LinkAction] {
        let request = nextRequest(.authenticate(credential.shown))
        link?.offered = credential
        link?.authentication = request.number
        return write(.request(request))
            + [.schedule(.authentication, after: LinkLimits.authenticationTimeout)]
    }

    /// Sends a message.
    mutating func write(_ message: LinkMessage) -> [LinkAction] {
        link?.quietCount = 0
        return [.send(message)]
    }

    /// Numbers a request.
    mutating func nextRequest(_ action: RealtimeAction) -> RealtimeRequest {
        lastRequest += 1
        return RealtimeRequest(number: lastRequest, action: action)
    }

    /// Ends the link, and tells the engine.
    mutating func finish(_ error: HearthError?) -> [LinkAction] {
        guard let number = link?.number else { return [] }
        return end() + [.tell(.closed(number, error))]
    }

    /// Ends the link, and tells nobody.
    private mutating func end() -> [LinkAction] {
        guard let ended = link else { return [] }
        link = nil
        let timers = LinkTimer.allCases.map(LinkAction.cancel)
        return ended.phase == .asking ? timers : [.disconnect(socket)] + timers
    }

    /// The host of the WebSocket cannot be reached. If the service had named it, the configured
    /// host is tried at once.
    private mutating func unreachable(_ error: HearthError) -> [LinkAction] {
        hosts.failed() ? move(error) : finish(error)
    }

    private mutating func pulse(isReading: Bool) -> [LinkAction] {
        guard var counted = link else { return [] }
        counted.silentCount = isReading ? counted.silentCount + 1 : 0
        counted.quietCount += 1
        link = counted
        let next = LinkAction.schedule(.pulse, after: LinkLimits.pulsePeriod)
        switch counted.silentCount {
        case ..<LinkLimits.pulseCountMax:
            return (counted.quietCount >= LinkLimits.pulseCountMax ? write(.keepAlive) : []) + [
                next
            ]
        case LinkLimits.pulseCountMax: return write(.ping) + [next]
        default: return finish(.silent(hosts.current))
        }
    }

    private mutating func nextQuestion() -> QuestionNumber {
        lastQuestion += 1
        return QuestionNumber(lastQuestion)
    }
}

/// Times and limits of a link.
package enum LinkLimits {
    /// How long connecting may take, from the first packet to hello. As the SDKs have it.
    package static let greetingTimeout = Duration.seconds(30)
    /// How long the answer to a credential may take.
    package static let authenticationTimeout = Duration.seconds(30)
    /// How often a link looks whether something was heard and sent.
    package static let pulsePeriod = Duration.seconds(15)
    /// So many pulses may pass without a message: 45 seconds, the SDKs' time for a keep-alive.
    package static let pulseCountMax = 3
    /// How often a link goes to another host before the link fails.
    package static let moveCountMax = 4
    /// So long before its end a token is replaced. The credentials have fetched another by then.
    package static let renewalLead = Duration.seconds(240)
    /// The shortest pause between two questions for another token.
    package static let renewalPauseMin = Duration.seconds(30)
    /// The longest pause before a token is replaced; a token's end further away is not believed.
    package static let renewalPauseMax = Duration.seconds(86_400)
    /// The longest name of a session that is repeated to the service, in bytes.
    package static let sessionByteCountMax = 512
    /// The longest text of the service that is shown to people, in Unicode scalars.
    package static let textCountMax = 200
    /// The longest answer to a credential that is read, in bytes. A token's claims are far shorter.
    package static let identityByteCountMax = 1 << 16
    /// The service's clock is believed up to a century away from ours, in milliseconds.
    package static let clockOffsetMax: Int64 = 100 * 365 * 86_400_000
}
