import GRPCCore
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRemote
import HearthTestSupport
import Synchronization
import Testing

/// TLS to the backend, against a server whose certificate a test's own authority gave.
@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
    private static let backend = FakeBackend {
        $0.add("Commit") { (_, _: RPCAsyncSequence<ProtoCommitRequest, any Error>, answers) in
            try await answers.write(ProtoCommitResponse())
        }
        $0.add("Listen") {
            (
                _, requests: RPCAsyncSequence<ProtoListenRequest, any Error>,
                _: RPCWriter<ProtoListenResponse>
            ) in
            for try await _ in requests {}
        }
    }

    /// Commits nothing, and returns the error and the channel's words about the failure.
    private func attempt(
        _ name: String, trusting trust: TrustedCertificates, serverName: String?
    ) async throws -> (error: HearthError?, told: [HearthError?]) {
        let told = Mutex<[HearthError?]>([])
        let authority = try TestAuthority(vouchingFor: name)
        let error = try await Self.backend.serve(as: authority) { port in
            let trust = trust == .system ? trust : .file(path: authority.certificatePath)
            return try await TestUpstream.connected(
                to: .tcp(host: "localhost", port: port),
                by: .tls(trusting: trust, serverName: serverName),
                watch: { error in told.withLock { $0.append(error) } }
            ) { channel, _, _ in
                do throws(HearthError) {
                    _ = try await UnaryCalls(channel).commit([])
                    return HearthError?.none
                } catch {
                    return error
                }
            }
        }
        return (error, told.withLock { $0 })
    }

    private static let ours = TrustedCertificates.file(path: "the test's own")

    @Test func `a server is believed by the authority that the configuration names`() async throws {
        let (error, told) = try await attempt("localhost", trusting: Self.ours, serverName: nil)
        #expect(error == nil)
        #expect(told == [nil])
    }

    @Test func `a server may have another name than its address`() async throws {
        let (error, _) = try await attempt(
            "firestore.example", trusting: Self.ours, serverName: "firestore.example")
        #expect(error == nil)
    }

    @Test func `a wrong name is told, with where to look`() async throws {
        let (error, told) = try await attempt(
            "firestore.example", trusting: Self.ours, serverName: nil)
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("upstream.serverName") == true, "\(error as Any)")
        #expect(told == [error])
    }

    @Test func `an unknown authority is told, with what would help`() async throws {
        let (error, told) = try await attempt("localhost", trusting: .system, serverName: nil)
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("upstream.trustedCertificates") == true, "\(error as Any)")
        #expect(told == [error])
    }

    @Test func `a stream to a server that is not believed closes with the same words`()
        async throws
    {
        let authority = try TestAuthority(vouchingFor: "localhost")
        try await Self.backend.serve(as: authority) { port in
            try await TestUpstream.connected(
                to: .tcp(host: "localhost", port: port), by: .tls()
            ) { _, connection, events in
                let number = StreamNumber(1)
                connection.perform(.openWatch(number, as: .unauthenticated))
                guard case .watchClosed(number, let error?) = await events.next() else {
                    Issue.record("The stream opened")
                    return
                }
                #expect(error.message.contains("upstream.trustedCertificates"))
            }
        }
    }

    @Test func `a file of certificates that cannot be read is named`() throws {
        let error = #expect(throws: HearthError.self) {
            try FirestoreChannel(
                FirestoreChannel.Configuration(
                    database: TestUpstream.database, address: .tcp(host: "localhost", port: 1),
                    security: .tls(trusting: .file(path: "/nonexistent/ca.pem")),
                    credentials: NoCredentials()))
        }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("/nonexistent/ca.pem") == true)
    }
}
