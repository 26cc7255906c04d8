import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import Testing

/// A link machine under inputs in any order, and a service that sends any message at any time.
struct LinkChanceTests {
    /// A shell's and an engine's knowledge of a machine, and the rules that its actions must keep.
    private struct Watcher {
        var socket: SocketNumber?
        var lastSocket: UInt64 = 0
        var lastRequest = 0
        var questions: [QuestionNumber] = []
        var link: StreamNumber?
        var isOpen = false
        var owed: Set<Int> = []

        mutating func check(_ actions: [LinkAction]) {
            for action in actions { check(action) }
        }

        private mutating func check(_ action: LinkAction) {
            switch action {
            case .ask(let question, _): questions.append(question)
            case .connect(let number, _):
                #expect(number.rawValue == lastSocket + 1)
                lastSocket = number.rawValue
                socket = number
            case .send(let message):
                #expect(socket != nil)
                guard case .request(let request) = message else { return }
                #expect(request.number == lastRequest + 1)
                lastRequest = request.number
            case .disconnect(let number):
                #expect(number == socket)
                socket = nil
            case .tell(let event): check(event)
            case .believe, .refuse, .note, .schedule, .cancel: break
            }
        }

        private mutating func check(_ event: RealtimeUpstreamEvent) {
            switch event {
            case .opened(let number, _):
                #expect(number == link && !isOpen)
                isOpen = true
            case .answered(let number, let answer):
                #expect(number == link && isOpen)
                #expect(owed.remove(answer.number) != nil)
            case .pushed(let number, _): #expect(number == link && isOpen)
            case .closed(let number, _):
                #expect(number == link)
                forget()
            }
        }

        mutating func forget() {
            link = nil
            isOpen = false
            owed = []
        }
    }

    private static func message(
        upTo lastRequest: Int, using random: inout SeededGenerator
    ) -> RealtimeServerMessage {
        let number = Int.random(in: -1...lastRequest + 2, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3:
            return .hello(
                RealtimeHello(
                    time: Int64.random(in: .min ... .max, using: &random),
                    host: "s\(number).firebaseio.com", session: "s\(number)"))
        case 4...9: return .answer(RealtimeAnswer(number: number))
        case 10: return .answer(RealtimeAnswer(number: number, status: .invalidToken))
        case 11: return .push(.revoked(.root, []))
        case 12: return .push(.authRevoked(.expiredToken, reason: ""))
        case 13: return .reset(host: "r\(number).firebaseio.com")
        case 14: return .ping
        default: return Bool.random(using: &random) ? .shutdown(reason: "") : .unknown("")
        }
    }

    private static func step(
        _ machine: inout LinkMachine, _ watcher: inout Watcher,
        using random: inout SeededGenerator
    ) {
        let socket = SocketNumber(
            max(1, watcher.lastSocket) - UInt64.random(in: 0...1, using: &random))
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
            let number = StreamNumber(UInt64(watcher.lastRequest) + watcher.lastSocket + 1)
            watcher.forget()
            watcher.link = number
            watcher.check(machine.open(number, as: LinkRun.user))
        case 1:
            guard let number = watcher.link else { return }
            watcher.forget()
            watcher.check(machine.close(number))
        case 2...8:
            guard let question = watcher.questions.popLast() else { return }
            let credential = LinkRun.credential(
                "t\(watcher.lastRequest)", expiresIn: Int64.random(in: -10...10_000, using: &random)
            )
            let result: Result<LinkCredential?, HearthError> =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: .failure(HearthError(code: .unavailable, message: "no key"))
                case 1: .success(nil)
                default: .success(credential)
                }
            watcher.check(machine.credentialCame(question, result))
        case 9...14:
            guard let number = watcher.link else { return }
            let request = RealtimeRequest(
                number: Int.random(in: 1...Int.max, using: &random), action: .unauthenticate)
            let actions = machine.send(number, request)
            if watcher.isOpen { watcher.owed.insert(request.number) }
            #expect(actions.isEmpty == !watcher.isOpen)
            watcher.check(actions)
        case 15: watcher.check(machine.ended(socket, nil))
        case 16...18:
            let timer = LinkTimer.allCases.randomElement(using: &random) ?? .pulse
            watcher.check(machine.elapsed(timer, isReading: Bool.random(using: &random)))
        default:
            let message = message(upTo: watcher.lastRequest, using: &random)
            watcher.check(machine.received(message, from: socket, at: LinkRun.now))
        }
    }

    /// Takes many steps, and returns how often a link opened.
    private static func run(_ seed: UInt64) -> Int {
        var random = SeededGenerator(seed: seed)
        var machine = LinkMachine(host: LinkRun.host)
        var watcher = Watcher()
        var openCount = 0
        for _ in 0..<2_000 {
            let wasOpen = watcher.isOpen
            step(&machine, &watcher, using: &random)
            if watcher.isOpen, !wasOpen { openCount += 1 }
        }
        return openCount
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `whatever comes in whatever order, the engine hears a story that makes sense`(
        seed: UInt64
    ) {
        _ = Self.run(seed)
    }

    @Test func `chance opens links, so that there is something to hear`() {
        let openCounts = (0..<50).map { Self.run(UInt64($0)) }
        #expect(openCounts.count { $0 > 0 } >= 40)
    }
}
