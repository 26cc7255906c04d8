import HearthEngine
import HearthModel
import HearthRealtime
import Testing

/// A token ends while the link goes on.
struct LinkRenewalTests {
    @Test func `another token is wanted four minutes before the end of this one`() {
        var run = LinkRun()
        let actions = run.opened(LinkRun.credential(expiresIn: 3_600))
        #expect(actions.contains(.schedule(.renewal, after: .seconds(3_360))))
    }

    @Test func `the end that the service tells counts if it is earlier`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential(expiresIn: 3_600))
        _ = run.hello()
        let end = LinkRun.now.seconds + 1_240
        let body = RealtimeBody(json: Array(#"{"auth":{},"expires":\#(end)}"#.utf8))
        #expect(
            run.answer(2, .ok, body).contains(.schedule(.renewal, after: .seconds(1_000))))
    }

    @Test(arguments: [Int64.min, -1, 0, 1, .max])
    func `an end that makes no sense neither traps nor keeps us busy`(end: Int64) {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential())
        _ = run.hello()
        let body = RealtimeBody(json: Array(#"{"expires":\#(end)}"#.utf8))
        for case .schedule(.renewal, let pause) in run.answer(2, .ok, body) {
            #expect(LinkLimits.renewalPauseMin...LinkLimits.renewalPauseMax ~= pause)
        }
    }

    @Test func `a newer token is shown on the open link, and the engine hears nothing`() {
        var run = LinkRun()
        _ = run.opened(LinkRun.credential("old", expiresIn: 3_600))
        #expect(run.fire(.renewal) == [.ask(QuestionNumber(2), as: LinkRun.user)])
        let newer = LinkRun.credential("new", expiresIn: 7_200)
        let shown = run.show(newer)
        #expect(shown.sent == [.request(.init(number: 3, action: .authenticate(newer.shown)))])
        let answered = run.answer(3)
        #expect(answered.told == [])
        #expect(answered.contains(.believe(Secret("new"))))
        #expect(answered.contains(.schedule(.renewal, after: .seconds(6_960))))
        #expect(run.fire(.authentication).isEmpty)
    }

    @Test func `as long as there is no newer token, it is asked for again`() {
        var run = LinkRun()
        _ = run.opened(LinkRun.credential("old", expiresIn: 3_600))
        let again = [LinkAction.schedule(.renewal, after: .seconds(30))]
        _ = run.fire(.renewal)
        #expect(run.show(LinkRun.credential("old", expiresIn: 3_600)) == again)
        _ = run.fire(.renewal)
        let error = HearthError(code: .unavailable, message: "no answer")
        #expect(run.showNothing(because: error) == again)
    }

    @Test func `a newer token that is refused ends the link`() {
        var run = LinkRun()
        _ = run.opened(LinkRun.credential("old", expiresIn: 3_600))
        _ = run.fire(.renewal)
        _ = run.show(LinkRun.credential("new"))
        let actions = run.answer(3, .invalidToken)
        #expect(actions.contains(.refuse(Secret("new"))))
        #expect(actions.failure?.code == .unauthenticated)
    }

    @Test func `a newer token that is not judged ends the link`() {
        var run = LinkRun()
        _ = run.opened(LinkRun.credential("old", expiresIn: 3_600))
        _ = run.fire(.renewal)
        _ = run.show(LinkRun.credential("new"))
        #expect(run.fire(.authentication).failure?.code == .unavailable)
    }
}
