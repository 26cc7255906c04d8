import HearthEngine
import HearthModel
import HearthRealtime

/// A link machine under test, with a clock that a test sets, and short words for its inputs.
struct LinkRun {
    static let host = "demo.firebaseio.com"
    static let number = StreamNumber(7)
    static let user = UserID("ada")
    static let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    var machine: LinkMachine
    var now = Self.now
    private var question: UInt64 = 0
    private var socket: UInt64 = 0

    init(host: String = Self.host) {
        machine = LinkMachine(host: host)
    }

    static func credential(
        _ token: String = "t0ken", expiresIn seconds: Int64? = nil
    ) -> LinkCredential {
        LinkCredential(
            RealtimeCredential(.user, token: Secret(token)),
            expiresAt: seconds.map { now.advanced(by: .seconds($0)) })
    }

    /// Keeps the numbers that the machine drew, as a shell does.
    private mutating func note(_ actions: [LinkAction]) -> [LinkAction] {
        for action in actions {
            if case .ask(let number, _) = action { question = number.rawValue }
            if case .connect(let number, _) = action { socket = number.rawValue }
        }
        return actions
    }

    mutating func open(_ number: StreamNumber = Self.number) -> [LinkAction] {
        note(machine.open(number, as: Self.user))
    }

    mutating func show(_ credential: LinkCredential?) -> [LinkAction] {
        note(machine.credentialCame(QuestionNumber(question), .success(credential)))
    }

    mutating func showNothing(because error: HearthError) -> [LinkAction] {
        note(machine.credentialCame(QuestionNumber(question), .failure(error)))
    }

    mutating func hear(_ message: RealtimeServerMessage) -> [LinkAction] {
        note(machine.received(message, from: SocketNumber(socket), at: now))
    }

    mutating func hello(
        from host: String = Self.host, session: String = "s1", time: Int64? = nil
    ) -> [LinkAction] {
        let time = time ?? now.microseconds / 1_000
        return hear(.hello(RealtimeHello(time: time, host: host, session: session)))
    }

    mutating func answer(
        _ number: Int, _ status: RealtimeStatus = .ok, _ body: RealtimeBody = .none
    ) -> [LinkAction] {
        hear(.answer(RealtimeAnswer(number: number, status: status, body: body)))
    }

    mutating func end(_ error: HearthError? = nil) -> [LinkAction] {
        note(machine.ended(SocketNumber(socket), error))
    }

    mutating func fire(_ timer: LinkTimer, isReading: Bool = true) -> [LinkAction] {
        note(machine.elapsed(timer, isReading: isReading))
    }

    /// Opens a link as a user until the engine has heard of it. The number of the next request is
    /// 3.
    mutating func opened(_ credential: LinkCredential = Self.credential()) -> [LinkAction] {
        _ = open()
        _ = show(credential)
        _ = hello()
        return answer(2)
    }

    /// Opens a link as nobody. The number of the next request is 2.
    mutating func openedAsNobody() -> [LinkAction] {
        _ = open()
        _ = show(nil)
        return hello()
    }
}

extension [LinkAction] {
    /// What the engine is told.
    var told: [RealtimeUpstreamEvent] {
        compactMap { if case .tell(let event) = $0 { event } else { nil } }
    }

    /// What is sent.
    var sent: [LinkMessage] {
        compactMap { if case .send(let message) = $0 { message } else { nil } }
    }

    /// Where a WebSocket is opened.
    var addresses: [LinkAddress] {
        compactMap { if case .connect(_, let address) = $0 { address } else { nil } }
    }

    /// How the link closed; `nil` if it did not.
    var closing: RealtimeUpstreamEvent? {
        told.first { if case .closed = $0 { true } else { false } }
    }

    /// The error at the link's end.
    var failure: HearthError? {
        guard case .closed(_, let error)? = closing else { return nil }
        return error
    }
}
