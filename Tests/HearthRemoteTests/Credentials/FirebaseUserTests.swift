import Glibc
import HearthModel
import HearthRemote
import HearthTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FirebaseUserTests {
    private let bench = FirebaseBench()
    private let firebase = StubFirebase()

    private static let password = FirebaseUser.Configured.account { () throws(HearthError) in
        .password(email: "ann@x", password: Secret("hunter2"))
    }

    private func serve(
        _ body: (StubEndpoint, String) async throws -> Void
    ) async throws {
        try await StubEndpoint.serve({ [firebase] in firebase.answer($0) }, body)
    }

    @Test func `a user signs in with a password, and is known before a token is shown`()
        async throws
    {
        try await serve { endpoint, host in
            let user = bench.user(Self.password, at: host)
            #expect(user.user == .unauthenticated)
            let headers = try await user.headers(as: nil)
            #expect(headers == FirebaseBench.headers(of: "user-ann@x"))
            #expect(bench.users.all == [UserID("user-ann@x")])
            #expect(user.user == UserID("user-ann@x"))
            #expect(try await user.headers(as: UserID("user-ann@x")) == headers)
            await #expect(throws: HearthError.self) { try await user.headers(as: .unauthenticated) }
            #expect(endpoint.questions.count == 1)
            #expect(bench.states.all == [.ready])
        }
    }

    @Test func `the user is known at the next start without a network, for nobody else's eyes`()
        async throws
    {
        try await serve { endpoint, host in
            _ = try await bench.user(Self.password, at: host).headers(as: nil)
            var status = stat()
            #expect(stat(bench.path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            let offline = bench.user(Self.password, at: "127.0.0.1:1")
            #expect(offline.user == UserID("user-ann@x"))
            let again = bench.user(Self.password, at: host)
            #expect(try await again.headers(as: nil) == FirebaseBench.headers(of: "user-ann@x"))
            #expect(
                endpoint.questions.last?.path == "/securetoken.googleapis.com/v1/token")
            #expect(bench.users.all == [UserID("user-ann@x")], "nobody changed at the restart")
            // Another configuration begins anew.
            #expect(bench.user(Self.password, at: host, origin: "other").user == .unauthenticated)
        }
    }

    @Test func `an anonymous user stays the same over restarts`() async throws {
        try await serve { _, host in
            _ = try await bench.user(.anonymous, at: host).headers(as: nil)
            _ = try await bench.user(.anonymous, at: host).headers(as: nil)
            #expect(bench.users.all == [UserID("anonymous-1")])
        }
    }

    @Test func `an anonymous user who is lost is not silently replaced`() async throws {
        try await serve { _, host in
            _ = try await bench.user(.anonymous, at: host).headers(as: nil)
            firebase.forgetEverybody()
            let user = bench.user(.anonymous, at: host)
            let error = await #expect(throws: HearthError.self) { try await user.headers(as: nil) }
            #expect(error?.code == .unauthenticated)
            #expect(error?.message.contains("anonymous-1") == true)
            #expect(user.user == UserID("anonymous-1"))
            let anew = try await user.signIn(.anonymous)
            #expect(anew == UserID("anonymous-2"))
            #expect(
                try await user.headers(as: anew) == FirebaseBench.headers(of: "anonymous-2"))
            #expect(bench.users.all == [UserID("anonymous-1"), UserID("anonymous-2")])
        }
    }

    @Test func `an account whose session ended signs in again by itself`() async throws {
        try await serve { endpoint, host in
            let user = bench.user(Self.password, at: host)
            let stale = try await user.headers(as: nil)
            firebase.forgetEverybody()
            await user.refused(stale)
            #expect(try await user.headers(as: nil) == FirebaseBench.headers(of: "user-ann@x"))
            #expect(
                endpoint.questions.map { $0.path.split(separator: ":").last ?? "" } == [
                    "signInWithPassword", "/securetoken.googleapis.com/v1/token",
                    "signInWithPassword",
                ])
            #expect(bench.users.all.count == 1)
        }
    }

    @Test func `an endpoint that is down costs no session`() async throws {
        try await serve { _, host in
            let user = bench.user(.anonymous, at: host)
            let stale = try await user.headers(as: nil)
            firebase.setDown(true)
            await user.refused(stale)
            let error = await #expect(throws: HearthError.self) { try await user.headers(as: nil) }
            #expect(error?.code == .unavailable)
            #expect(user.user == UserID("anonymous-1"))
            firebase.setDown(false)
            _ = try await eventually { () -> CredentialsState? in
                bench.clock.advance(by: .seconds(60))
                return bench.states.all.last
            } is: {
                $0 == .ready
            }
            #expect(
                try await user.headers(as: UserID("anonymous-1"))
                    == FirebaseBench.headers(of: "anonymous-1"))
        }
    }

    @Test func `administrators sign in and out, and out stays out`() async throws {
        try await serve { endpoint, host in
            let user = bench.user(.nothing, at: host)
            #expect(try await user.headers(as: .unauthenticated) == [])
            let custom = try await user.signIn(.customToken(Secret("custom-token")))
            #expect(custom == UserID("custom"))
            #expect(try await user.headers(as: custom) == FirebaseBench.headers(of: "custom"))
            try user.signOut()
            #expect(try await user.headers(as: nil) == [])
            await #expect(throws: HearthError.self) { try await user.headers(as: custom) }
            #expect(bench.users.all == [custom, .unauthenticated])
            let count = endpoint.questions.count
            let again = bench.user(Self.password, at: host)
            #expect(again.user == .unauthenticated)
            #expect(try await again.headers(as: nil) == [])
            #expect(endpoint.questions.count == count)
            let new = try await again.signIn(
                .newAccount(email: "bert@x", password: Secret("hunter2")))
            #expect(new == UserID("user-bert@x"))
        }
    }

    @Test func `a wrong password is told with the cure, and changes nobody`() async throws {
        try await serve { _, host in
            let user = bench.user(.anonymous, at: host)
            _ = try await user.headers(as: nil)
            let error = await #expect(throws: HearthError.self) {
                try await user.signIn(.password(email: "ann@x", password: Secret("wrong")))
            }
            #expect(error?.code == .unauthenticated)
            #expect(error?.message.contains("INVALID_LOGIN_CREDENTIALS") == true)
            #expect(error?.message.contains(StubFirebase.apiKey.revealed) == false)
            #expect(user.user == UserID("anonymous-1"))
        }
    }

    @Test func `a sign-in that cannot be kept does not count`() async throws {
        try await serve { _, host in
            let user = FirebaseUser(
                FirebaseAuth(apiKey: StubFirebase.apiKey, emulator: host, clock: bench.clock),
                signingIn: .anonymous,
                keptIn: FirebaseSessionFile(path: "/proc/none/sign-in.json", origin: "test"),
                clock: bench.clock)
            let error = await #expect(throws: HearthError.self) { try await user.headers(as: nil) }
            #expect(error?.message.contains("/proc/none/sign-in.json") == true)
            #expect(user.user == .unauthenticated)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a start does not wait for the writer of a pipe in the place of the sign-in`() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/sign-in.json"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(FirebaseSessionFile(path: path, origin: "test").read() == nil)
    }
}
