import HearthModel
import HearthRemote
import Testing

struct FirebaseSessionMachineTests {
    private static let token = Secret("r1")
    private static let ann = FirebaseSession(user: UserID("ann"), refreshToken: token)

    @Test func `without a session, the configuration says what is tried`() {
        #expect(FirebaseSessionMachine(.account, kept: nil).step == .signIn)
        #expect(FirebaseSessionMachine(.anonymous, kept: nil).step == .signIn)
        #expect(FirebaseSessionMachine(.nothing, kept: nil).step == .showNothing)
    }

    @Test func `a kept session is refreshed, a kept sign-out is respected`() {
        let kept = FirebaseSessionMachine(.anonymous, kept: Self.ann)
        #expect(kept.step == .refresh(Self.token))
        #expect(kept.user == UserID("ann"))
        let out = FirebaseSessionMachine(.account, kept: .signedOut)
        #expect(out.step == .showNothing)
        #expect(out.user == .unauthenticated)
    }

    @Test func `a sign-in is made durable before it is told`() {
        var machine = FirebaseSessionMachine(.account, kept: nil)
        #expect(machine.signedIn(Self.ann) == [.save(Self.ann), .announce(UserID("ann"))])
        #expect(machine.signedIn(Self.ann) == [])
        let renewed = FirebaseSession(user: UserID("ann"), refreshToken: Secret("r2"))
        #expect(machine.signedIn(renewed) == [.save(renewed)])
        #expect(machine.step == .refresh(Secret("r2")))
    }

    @Test func `a refused session ends in a new sign-in only if that leads to the same user`() {
        for (configured, step) in [
            (FirebaseSessionMachine.Configured.account, FirebaseSessionMachine.Step.signIn),
            (.anonymous, .giveUp), (.nothing, .giveUp),
        ] {
            var machine = FirebaseSessionMachine(configured, kept: Self.ann)
            machine.refreshRefused(Secret("an older one"))
            #expect(machine.step == .refresh(Self.token))
            machine.refreshRefused(Self.token)
            #expect(machine.step == step)
            #expect(machine.user == UserID("ann"), "the queue is theirs until somebody else comes")
            _ = machine.signedIn(FirebaseSession(user: UserID("ann"), refreshToken: Secret("r2")))
            #expect(machine.step == .refresh(Secret("r2")))
        }
    }

    @Test func `an answer that comes after somebody else signed in undoes nothing`() {
        var machine = FirebaseSessionMachine(.account, kept: Self.ann)
        let begun = machine.step
        let bert = FirebaseSession(user: UserID("bert"), refreshToken: Secret("b1"))
        _ = machine.signedIn(bert)
        let late = FirebaseSession(user: UserID("ann"), refreshToken: Secret("r2"))
        #expect(machine.answered(begun, by: late) == nil)
        #expect(machine.user == UserID("bert"))
        let renewed = FirebaseSession(user: UserID("bert"), refreshToken: Secret("b2"))
        #expect(machine.answered(machine.step, by: renewed) == [.save(renewed)])
    }

    @Test func `signing out is kept and told once`() {
        var machine = FirebaseSessionMachine(.account, kept: Self.ann)
        #expect(machine.signedOut() == [.save(.signedOut), .announce(.unauthenticated)])
        #expect(machine.signedOut() == [])
        #expect(machine.step == .showNothing)
    }
}
