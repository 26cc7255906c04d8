import HearthEngine
import HearthModel
import HearthRealtime
import Testing

struct LinkMachineTests {
    private static let get = RealtimeAction.get(RealtimePath("rooms"), .all)

    private static func request(_ number: Int) -> RealtimeRequest {
        RealtimeRequest(number: number, action: get)
    }

    private static let pushed = RealtimePush.revoked(.root, [])

    // MARK: Opening

    @Test func `the engine hears of a link only once the service has said hello and believed us`() {
        var run = LinkRun()
        #expect(run.open() == [.ask(QuestionNumber(1), as: LinkRun.user)])
        let connecting = run.show(LinkRun.credential())
        #expect(connecting.addresses == [LinkAddress(host: LinkRun.host, lastSession: nil)])
        #expect(connecting.contains(.schedule(.greeting, after: .seconds(30))))
        let greeted = run.hello()
        #expect(greeted.told == [])
        #expect(
            greeted.sent == [
                .request(.init(number: 1, action: .stats(["sdk.hearth.0-1-0"]))),
                .request(
                    .init(number: 2, action: .authenticate(LinkRun.credential().shown))),
            ])
        #expect(greeted.contains(.cancel(.greeting)))
        #expect(run.answer(1).isEmpty)
        let opened = run.answer(2)
        #expect(opened.told == [.opened(LinkRun.number, serverTimeOffset: 0)])
        #expect(opened.contains(.believe(Secret("t0ken"))))
        #expect(opened.contains(.cancel(.authentication)))
    }

    @Test func `a link that shows nothing is open with hello`() {
        var run = LinkRun()
        let opened = run.openedAsNobody()
        #expect(opened.told == [.opened(LinkRun.number, serverTimeOffset: 0)])
        #expect(opened.sent.count == 1)
    }

    @Test(arguments: [
        (Int64(1_700_000_001_500), Int64(1_500)), (1_699_999_999_000, -1_000),
        (Int64.max, LinkLimits.clockOffsetMax), (Int64.min, -LinkLimits.clockOffsetMax),
        (0, -1_700_000_000_000),
    ])
    func `the service's clock is told as the difference to ours`(time: Int64, offset: Int64) {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(nil)
        let told = run.hello(time: time).told
        #expect(told == [.opened(LinkRun.number, serverTimeOffset: offset)])
    }

    @Test func `a link without a credential to show fails with the credentials' words`() {
        let error = HearthError(code: .unauthenticated, message: "no key")
        var run = LinkRun()
        _ = run.open()
        #expect(run.showNothing(because: error).told == [.closed(LinkRun.number, error)])
    }

    @Test func `a service that says no hello within 30 seconds is given up`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(nil)
        let actions = run.fire(.greeting)
        #expect(actions.failure?.code == .unavailable)
        #expect(actions.contains(.disconnect(SocketNumber(1))))
    }

    @Test func `a service that does not judge the credential within 30 seconds is given up`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential())
        _ = run.hello()
        #expect(run.fire(.greeting).isEmpty)
        #expect(run.fire(.authentication).failure?.code == .unavailable)
    }

    @Test(arguments: [
        RealtimeStatus.expiredToken, .invalidToken, .permissionDenied,
    ])
    func `a refused token is not shown again, and the link fails`(status: RealtimeStatus) {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential())
        _ = run.hello()
        let actions = run.answer(2, status, .text("no: t0ken"))
        #expect(actions.contains(.refuse(Secret("t0ken"))))
        #expect(actions.failure?.code == .unauthenticated)
        #expect(actions.failure?.message.contains("no: <secret>") == true)
    }

    @Test func `a service that cannot judge the token now says nothing of the token`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential())
        _ = run.hello()
        let actions = run.answer(2, .unavailable)
        #expect(actions.failure?.code == .unavailable)
        #expect(!actions.contains(.refuse(Secret("t0ken"))))
    }

    @Test func `opening again ends the link before without a word`() {
        var run = LinkRun()
        _ = run.opened()
        let actions = run.open(StreamNumber(8))
        #expect(actions.told == [])
        #expect(actions.contains(.disconnect(SocketNumber(1))))
        #expect(run.show(nil).addresses == [LinkAddress(host: LinkRun.host, lastSession: "s1")])
    }

    @Test func `what the engine closed says nothing more`() {
        var run = LinkRun()
        _ = run.opened()
        #expect(run.machine.close(StreamNumber(6)).isEmpty)
        #expect(run.machine.close(LinkRun.number).told == [])
        #expect(run.hear(.push(Self.pushed)).isEmpty)
        #expect(run.end().isEmpty)
        #expect(run.fire(.pulse).isEmpty)
    }

    @Test func `a credential that comes too late is for nobody`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.machine.close(LinkRun.number)
        #expect(run.show(nil).isEmpty)
    }

    // MARK: Requests

    @Test func `requests are numbered anew, and answers bear the engine's numbers`() {
        var run = LinkRun()
        _ = run.opened()
        #expect(
            run.machine.send(LinkRun.number, Self.request(1)).sent == [.request(Self.request(3))])
        #expect(
            run.machine.send(LinkRun.number, Self.request(2)).sent == [.request(Self.request(4))])
        #expect(
            run.answer(4, .dataStale).told
                == [.answered(LinkRun.number, RealtimeAnswer(number: 2, status: .dataStale))])
        #expect(
            run.answer(3).told == [.answered(LinkRun.number, RealtimeAnswer(number: 1))])
    }

    @Test func `numbers go on over links, as the service is used to`() {
        var run = LinkRun()
        _ = run.opened()
        _ = run.machine.send(LinkRun.number, Self.request(1))
        _ = run.end()
        _ = run.open(StreamNumber(8))
        _ = run.show(LinkRun.credential())
        #expect(
            run.hello().sent.first
                == .request(.init(number: 4, action: .stats(["sdk.hearth.0-1-0"]))))
    }

    @Test func `an answer that nobody asked for, or a second one, reaches nobody`() {
        var run = LinkRun()
        _ = run.opened()
        _ = run.machine.send(LinkRun.number, Self.request(1))
        #expect(run.answer(1_000).isEmpty)
        #expect(run.answer(-1).isEmpty)
        #expect(run.answer(2).isEmpty)
        #expect(run.answer(3).told.count == 1)
        #expect(run.answer(3).isEmpty)
    }

    @Test func `requests before the link is open, or of another link, are not sent`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential())
        #expect(run.machine.send(LinkRun.number, Self.request(1)).isEmpty)
        _ = run.hello()
        #expect(run.machine.send(LinkRun.number, Self.request(1)).isEmpty)
        _ = run.answer(2)
        #expect(run.machine.send(StreamNumber(6), Self.request(1)).isEmpty)
    }

    @Test func `pushes reach the engine once the link is open`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential())
        _ = run.hello()
        #expect(run.hear(.push(Self.pushed)).isEmpty)
        _ = run.answer(2)
        #expect(run.hear(.push(Self.pushed)).told == [.pushed(LinkRun.number, Self.pushed)])
    }

    // MARK: Ends

    @Test func `an open link that the service closes in good order ends without an error`() {
        var run = LinkRun()
        _ = run.opened()
        #expect(run.end().told == [.closed(LinkRun.number, nil)])
    }

    @Test func `a service that closes before the link is open has failed`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential())
        #expect(run.end().failure?.code == .unavailable)
    }

    @Test func `a shutdown makes whoever tries again wait for long`() {
        var run = LinkRun()
        _ = run.opened()
        let reason = String(repeating: "x", count: 10_000)
        let actions = run.hear(.shutdown(reason: reason))
        #expect(actions.failure?.code == .resourceExhausted)
        #expect((actions.failure?.message.count ?? 0) < 300)
    }

    @Test func `a revoked token ends the link, and the next link shows another`() {
        var run = LinkRun()
        _ = run.opened()
        let actions = run.hear(.push(.authRevoked(.expiredToken, reason: "Auth token is expired.")))
        #expect(actions.contains(.refuse(Secret("t0ken"))))
        #expect(actions.failure?.code == .unauthenticated)
        #expect(actions.failure?.message.contains("Auth token is expired.") == true)
    }

    // MARK: Life

    @Test func `a silent service is pinged after 45 seconds and given up after a minute`() {
        var run = LinkRun()
        _ = run.openedAsNobody()
        #expect(run.fire(.pulse) == [.schedule(.pulse, after: .seconds(15))])
        #expect(run.fire(.pulse).sent == [])
        #expect(run.fire(.pulse).sent == [.ping])
        #expect(run.fire(.pulse).failure?.code == .unavailable)
    }

    @Test func `a pong, or a piece of a message, is a sign of life`() {
        var run = LinkRun()
        _ = run.openedAsNobody()
        for _ in 0..<3 { _ = run.fire(.pulse) }
        #expect(run.hear(.pong).isEmpty)
        for _ in 0..<3 { #expect(run.fire(.pulse).closing == nil) }
        run.machine.heard(from: SocketNumber(1))
        #expect(run.fire(.pulse).closing == nil)
        run.machine.heard(from: SocketNumber(9))
        for _ in 0..<2 { #expect(run.fire(.pulse).closing == nil) }
        #expect(run.fire(.pulse).closing != nil)
    }

    @Test func `a service whose words wait to be read is not silent`() {
        var run = LinkRun()
        _ = run.openedAsNobody()
        for _ in 0..<10 { #expect(run.fire(.pulse, isReading: false).closing == nil) }
    }

    @Test func `a service that talks while we have nothing to say hears that we are there`() {
        var run = LinkRun()
        _ = run.openedAsNobody()
        var sent: [LinkMessage] = []
        for _ in 0..<7 {
            _ = run.hear(.push(Self.pushed))
            sent += run.fire(.pulse).sent
        }
        #expect(sent == [.keepAlive, .keepAlive])
    }

    @Test func `a ping of the service is answered`() {
        var run = LinkRun()
        _ = run.opened()
        #expect(run.hear(.ping) == [.send(.pong)])
    }

    @Test func `what the service says to people is told shortened`() {
        var run = LinkRun()
        _ = run.opened()
        let text = String(repeating: "é", count: 201)
        let told = String(repeating: "é", count: 200)
        #expect(run.hear(.error(text)) == [.note(.complaint(told))])
        #expect(run.hear(.push(.debug("why"))) == [.note(.rules("why"))])
    }

    @Test func `messages that make no sense are harmless`() {
        var run = LinkRun()
        _ = run.opened()
        #expect(run.hear(.unknown("z")).isEmpty)
        #expect(run.hear(.push(.unknown("z"))).isEmpty)
        #expect(run.hear(.push(.appCheckRevoked(.invalidToken, reason: ""))).isEmpty)
        #expect(run.hello(session: "s2").isEmpty)
        _ = run.end()
        _ = run.open(StreamNumber(8))
        #expect(run.show(nil).addresses.map(\.lastSession) == ["s1"])
    }
}
