import HearthModel
import HearthRemote
import Testing

struct TokenMachineTests {
    private typealias Action = TokenMachine.Action

    private static let start = ManualRemoteClock.start
    private static let ann = UserID("ann")
    private static let bert = UserID("bert")
    private static let offline = HearthError(code: .unavailable, message: "offline")

    private var machine = TokenMachine()
    private var random = SystemRandomNumberGenerator()

    private func at(_ seconds: Int64) -> Timestamp { Self.start.advanced(by: .seconds(seconds)) }

    private func token(
        _ name: String, at fetched: Int64 = 0, life: Int64 = 3_600, user: UserID? = nil
    ) -> AccessToken {
        AccessToken(
            Secret(name), fetchedAt: at(fetched), expiresAt: at(fetched + life), user: user)
    }

    private func caller(_ number: UInt64) -> TokenMachine.CallerID { .init(number) }

    /// The pause of the only wake among actions.
    private func pause(_ actions: [Action]) -> Duration? {
        for case .wake(_, let delay) in actions { return delay }
        return nil
    }

    @Test mutating func `one fetch serves all who ask meanwhile`() {
        #expect(machine.asked(caller(1), as: nil, at: at(0)) == [.fetch(1)])
        #expect(machine.asked(caller(2), as: nil, at: at(1)) == [])
        let token = token("a")
        #expect(
            machine.fetched(1, token) == [
                .answer(caller(1), token), .answer(caller(2), token), .tell(.ready),
            ])
        #expect(machine.asked(caller(3), as: nil, at: at(2)) == [.answer(caller(3), token)])
    }

    @Test mutating func `a token is renewed before its end, and serves meanwhile`() {
        _ = machine.asked(caller(1), as: nil, at: at(0))
        let old = token("a")
        _ = machine.fetched(1, old)
        #expect(machine.asked(caller(2), as: nil, at: at(3_299)) == [.answer(caller(2), old)])
        #expect(
            machine.asked(caller(3), as: nil, at: at(3_300)) == [
                .answer(caller(3), old), .fetch(2),
            ])
        #expect(machine.asked(caller(4), as: nil, at: at(3_301)) == [.answer(caller(4), old)])
        let new = token("b", at: 3_301)
        #expect(machine.fetched(2, new) == [])
        #expect(machine.asked(caller(5), as: nil, at: at(3_302)) == [.answer(caller(5), new)])
    }

    @Test mutating func `a token that ends in a moment is not shown`() {
        _ = machine.asked(caller(1), as: nil, at: at(0))
        _ = machine.fetched(1, token("a", life: 60))
        #expect(machine.asked(caller(2), as: nil, at: at(51)) == [.fetch(2)])
    }

    @Test mutating func `a failed renewal troubles nobody while the old token lasts`() {
        _ = machine.asked(caller(1), as: nil, at: at(0))
        let old = token("a")
        _ = machine.fetched(1, old)
        _ = machine.asked(caller(2), as: nil, at: at(3_400))
        let actions = machine.failed(2, Self.offline, at: at(3_401), using: &random)
        #expect(actions.count == 1)
        #expect(pause(actions) != nil)
        #expect(
            machine.asked(caller(3), as: nil, at: at(3_401)).first == .answer(caller(3), old))
    }

    @Test mutating func `after a failure all are told, and pauses grow up to a minute and a half`()
    {
        #expect(machine.asked(caller(1), as: nil, at: at(0)) == [.fetch(1)])
        _ = machine.asked(caller(2), as: nil, at: at(0))
        var actions = machine.failed(1, Self.offline, at: at(0), using: &random)
        #expect(
            actions.prefix(2) == [
                .fail(caller(1), Self.offline), .fail(caller(2), Self.offline),
            ])
        #expect(actions.last == .tell(.failing(Self.offline)))
        #expect(pause(actions) == .zero)
        var pauses: [Duration] = []
        var now: Int64 = 0
        for number in UInt64(2)...20 {
            #expect(machine.elapsed(number - 1, at: at(now)) == [.fetch(number)])
            actions = machine.failed(number, Self.offline, at: at(now), using: &random)
            #expect(actions.count == 1, "the same failure is told once")
            pauses.append(pause(actions) ?? .zero)
            let early = machine.asked(caller(100 + number), as: nil, at: at(now))
            #expect(early == [.fail(caller(100 + number), Self.offline)])
            now += 100
        }
        #expect(pauses[0] >= .milliseconds(500))
        #expect(pauses[0] <= .milliseconds(1_500))
        #expect(pauses.allSatisfy { $0 <= .seconds(90) })
        #expect((pauses.last ?? .zero) >= .seconds(30))
    }

    @Test mutating func `what was mended is told as soon as a token comes`() {
        _ = machine.asked(caller(1), as: nil, at: at(0))
        _ = machine.failed(1, Self.offline, at: at(0), using: &random)
        #expect(machine.elapsed(1, at: at(0)) == [.fetch(2)])
        #expect(machine.fetched(2, token("a")) == [.tell(.ready)])
    }

    @Test mutating func `a failure after a refused token is over with the next token`() {
        _ = machine.asked(caller(1), as: nil, at: at(0))
        _ = machine.fetched(1, token("a"))
        _ = machine.refused(Secret("a"), at: at(1), using: &random)
        _ = machine.asked(caller(2), as: nil, at: at(1))
        #expect(
            machine.failed(2, Self.offline, at: at(1), using: &random).last
                == .tell(.failing(Self.offline)))
        #expect(machine.elapsed(2, at: at(100)) == [.fetch(3)])
        #expect(machine.fetched(3, token("b", at: 100)) == [.tell(.ready)])
    }

    @Test mutating func `a call after the pause tries at once`() {
        _ = machine.asked(caller(1), as: nil, at: at(0))
        _ = machine.failed(1, Self.offline, at: at(0), using: &random)
        #expect(machine.asked(caller(2), as: nil, at: at(100)) == [.fetch(2)])
        #expect(machine.elapsed(1, at: at(100)) == [])
    }

    @Test mutating func `a refused token is dropped once, and fetched anew at once`() {
        _ = machine.asked(caller(1), as: nil, at: at(0))
        let old = token("a")
        _ = machine.fetched(1, old)
        #expect(machine.refused(old.value, at: at(1), using: &random) == [])
        // Another call had shown the same: there is nothing left to drop.
        #expect(machine.asked(caller(2), as: nil, at: at(1)) == [.fetch(2)])
        #expect(machine.refused(old.value, at: at(2), using: &random) == [])
        let new = token("b", at: 2)
        #expect(machine.fetched(2, new) == [.answer(caller(2), new)])
        #expect(machine.refused(old.value, at: at(3), using: &random) == [])
        #expect(machine.asked(caller(3), as: nil, at: at(3)) == [.answer(caller(3), new)])
        #expect(machine.believed(new.value) == [])
    }

    @Test mutating func `if a fresh token is refused too, it is told and not hammered`() throws {
        for number in UInt64(1)...2 {
            #expect(machine.asked(caller(number), as: nil, at: at(0)) == [.fetch(number)])
            _ = machine.fetched(number, token("t\(number)"))
            let actions = machine.refused(Secret("t\(number)"), at: at(0), using: &random)
            #expect(actions.isEmpty == (number == 1))
            guard number == 2 else { continue }
            guard case .tell(.failing(let error))? = actions.last else {
                Issue.record("not told")
                return
            }
            #expect(error.code == .unauthenticated)
            #expect(error.message.contains("clock"))
        }
        // The first retry is at once; the next has to wait.
        #expect(machine.elapsed(2, at: at(0)) == [.fetch(3)])
        #expect(machine.fetched(3, token("t3")) == [])
        let again = machine.refused(Secret("t3"), at: at(0), using: &random)
        #expect((pause(again) ?? .zero) >= .milliseconds(500))
        guard case .fail? = machine.asked(caller(4), as: nil, at: at(0)).first else {
            Issue.record("asked the endpoint during the pause")
            return
        }
        #expect(machine.elapsed(3, at: at(2)) == [.fetch(4)])
        let good = token("t4", at: 2)
        #expect(machine.fetched(4, good) == [])
        #expect(machine.believed(good.value) == [.tell(.ready)])
    }

    @Test mutating func `a token that served for long and is refused is only dropped`() {
        for number in UInt64(1)...3 {
            let now = Int64(number) * 1_000
            _ = machine.asked(caller(number), as: nil, at: at(now))
            _ = machine.fetched(number, token("t\(number)", at: now))
            let actions = machine.refused(Secret("t\(number)"), at: at(now + 400), using: &random)
            #expect(actions == [])
        }
    }

    @Test mutating func `nobody gets another user's token`() {
        _ = machine.asked(caller(1), as: Self.ann, at: at(0))
        _ = machine.asked(caller(2), as: Self.bert, at: at(0))
        let anns = token("a", user: Self.ann)
        let actions = machine.fetched(1, anns)
        #expect(actions.first == .answer(caller(1), anns))
        guard case .fail(caller(2), let error) = actions[1] else {
            Issue.record("bert was given ann's token")
            return
        }
        #expect(error.code == .unavailable)
        guard
            case .fail(caller(3), _)? = machine.asked(
                caller(3), as: .unauthenticated, at: at(1)
            ).first
        else {
            Issue.record("nobody was given ann's token")
            return
        }
        #expect(machine.asked(caller(4), as: nil, at: at(1)) == [.answer(caller(4), anns)])
        // A service account's is nobody's, and carries every queue.
        _ = machine.identityChanged(at: at(2))
        let account = token("s")
        _ = machine.fetched(2, account)
        #expect(machine.asked(caller(5), as: Self.bert, at: at(2)) == [.answer(caller(5), account)])
    }

    @Test mutating func `when the user changes, the old token and what was under way are dropped`()
    {
        _ = machine.asked(caller(1), as: Self.ann, at: at(0))
        _ = machine.fetched(1, token("a", user: Self.ann))
        #expect(machine.identityChanged(at: at(1)) == [.fetch(2)])
        #expect(machine.asked(caller(2), as: Self.bert, at: at(1)) == [])
        #expect(machine.identityChanged(at: at(2)) == [.fetch(3)])
        #expect(machine.fetched(2, token("late", user: Self.ann)) == [])
        #expect(machine.failed(2, Self.offline, at: at(2), using: &random) == [])
        let berts = token("b", at: 2, user: Self.bert)
        #expect(machine.fetched(3, berts) == [.answer(caller(2), berts)])
    }

    @Test mutating func `one who gave up is told so, once`() {
        _ = machine.asked(caller(1), as: nil, at: at(0))
        guard case .fail(caller(1), let error)? = machine.cancelled(caller(1)).first else {
            Issue.record("not told")
            return
        }
        #expect(error.code == .cancelled)
        #expect(machine.cancelled(caller(1)) == [])
        #expect(machine.fetched(1, token("a")) == [.tell(.ready)])
    }
}
