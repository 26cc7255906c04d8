import GRPCCore
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRemote
import HearthTestSupport
import Logging
import Synchronization
import Testing

/// Whole flows whose every word is written down: no key, token or password is among them.
@Suite(.timeLimit(.minutes(1)))
struct SilenceTests {
    /// Keeps what is logged, at every level.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var text: String { lines.withLock { $0.joined(separator: "\n") } }

        func write(_ line: String) { lines.withLock { $0.append(line) } }

        var logger: Logger {
            Logger(label: "test") { _ in Handler(log: self) }
        }
    }

    private struct Handler: LogHandler {
        let log: Log
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.write("\(event.message) \(event.metadata ?? [:])")
        }
    }

    private let log = Log()
    private let clock = ManualRemoteClock()
    private let folder = TemporaryFolder()

    /// Logs everything there is about an error and whatever else it is given.
    private func note(_ values: Any...) {
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            log.logger.error("noted", metadata: ["value": "\(value)", "dump": "\(dumped)"])
        }
    }

    /// A backend that believes no token, so that every possible failure happens.
    private func callInVain(_ credentials: any Credentials) async throws {
        let backend = FakeBackend {
            $0.add("Commit") {
                (
                    _, _: RPCAsyncSequence<ProtoCommitRequest, any Error>,
                    _: RPCWriter<ProtoCommitResponse>
                ) in
                throw RPCError(code: .unauthenticated, message: "not you")
            }
        }
        try await backend.serve { address in
            try await TestUpstream.connected(to: address, as: credentials) { channel, _, _ in
                let error = await #expect(throws: HearthError.self) {
                    try await UnaryCalls(channel).commit([])
                }
                note(error as Any, credentials)
            }
        }
    }

    @Test func `a service account's flow says nothing secret`() async throws {
        let key = try TestKey.shared.get()
        let path = try folder.write(key.json(), to: "key.json")
        note(try KeyFile(path: path))
        let credentials = TokenCredentials(
            GoogleSource([.file(path)], clock: clock), clock: clock
        ) { state in note(state) }
        try await callInVain(credentials)
        let shown = try await credentials.headers(as: nil)
        note(shown)
        let token = try #require(shown.first?.value.revealed.dropFirst("Bearer ".count))
        #expect(token.count > 300)
        #expect(log.text.contains("noted"))
        #expect(!log.text.contains(token))
        #expect(!log.text.contains(token.split(separator: ".")[2]))
        for line in key.pem.split(separator: "\n").dropFirst().dropLast() {
            #expect(!log.text.contains(line))
        }
    }

    @Test func `a Firebase user's flow says nothing secret`() async throws {
        let firebase = StubFirebase()
        let bench = FirebaseBench()
        try await StubEndpoint.serve({ firebase.answer($0) }) { endpoint, host in
            let user = bench.user(
                .account { () throws(HearthError) in
                    .password(email: "ann@x", password: Secret("hunter2"))
                }, at: host)
            try await callInVain(user)
            for signIn in [
                FirebaseSignIn.password(email: "ann@x", password: Secret("wrong-password")),
                .customToken(Secret("wrong-custom-token")), .customToken(Secret("custom-token")),
            ] {
                do {
                    note(try await user.signIn(signIn), signIn)
                } catch {
                    note(error, signIn)
                }
            }
            let headers = try await user.headers(as: nil)
            firebase.forgetEverybody()
            await user.refused(headers)
            note(headers, user, bench.states.all)
            do {
                note(try await user.headers(as: nil))
            } catch {
                note(error)
            }
            #expect(endpoint.questions.count > 5)
        }
        for secret in [
            "hunter2", "wrong-password", "wrong-custom-token", "custom-token", "refresh-token-of",
            StubFirebase.apiKey.revealed, StubFirebase.idToken(of: "user-ann@x"),
            StubFirebase.idToken(of: "custom"),
        ] {
            #expect(!log.text.contains(secret), "\(secret) is in the log")
        }
        #expect(log.text.contains("INVALID_LOGIN_CREDENTIALS"), "the log heard the flow")
    }
}
