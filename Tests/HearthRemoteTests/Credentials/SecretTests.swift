import HearthModel
import HearthRemote
import Testing

struct SecretTests {
    private struct Holder {
        let name = "holder"
        let secret = Secret("hunter2")
        let headers = [Header.bearer(Secret("hunter2"))]
        let token = AccessToken(
            Secret("hunter2"), fetchedAt: ManualRemoteClock.start,
            expiresAt: ManualRemoteClock.start, user: UserID("ann"))
        let session = FirebaseSession(user: UserID("ann"), refreshToken: Secret("hunter2"))
        let signIn = FirebaseSignIn.password(email: "a@b.c", password: Secret("hunter2"))
    }

    @Test func `a secret shows nowhere, however it is printed`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(Holder(), to: &dumped)
        let texts = [
            "\(secret)", String(describing: secret), String(reflecting: secret),
            "\(Optional(secret) as Any)", "\([secret])", "\(["k": secret])", "\(Holder())",
            String(reflecting: Holder()), dumped,
            "\(TokenMachine.Action.answer(.init(1), Holder().token))",
        ]
        for text in texts {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("<secret>"))
        }
        #expect(secret.revealed == "hunter2")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func `a secret is taken out of others' words`() {
        #expect(
            Secret("abc").removed(from: "bad token abc, abc!") == "bad token <secret>, <secret>!")
        #expect(Secret("").removed(from: "as it is") == "as it is")
    }
}
