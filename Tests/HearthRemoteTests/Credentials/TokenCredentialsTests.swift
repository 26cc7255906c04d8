import HearthModel
import HearthRemote
import HearthTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TokenCredentialsTests {
    private static let offline = HearthError(code: .unavailable, message: "offline")

    /// Gives what a test puts in, when the test puts it in.
    private final class Source: TokenSource {
        private struct State {
            var fetchCount = 0
            var results: [Result<String, HearthError>] = []
        }

        private let state = Mutex(State())
        private let clock: ManualRemoteClock

        init(_ clock: ManualRemoteClock) {
            self.clock = clock
        }

        var fetchCount: Int { state.withLock { $0.fetchCount } }

        func put(_ result: Result<String, HearthError>) {
            state.withLock { $0.results.append(result) }
        }

        func fetch() async throws(HearthError) -> AccessToken {
            state.withLock { $0.fetchCount += 1 }
            while true {
                let result = state.withLock { $0.results.isEmpty ? nil : $0.results.removeFirst() }
                if let result {
                    return AccessToken(
                        Secret(try result.get()), fetchedAt: clock.now(),
                        expiresAt: clock.now().advanced(by: .seconds(3_600)))
                }
                await Task.yield()
            }
        }
    }

    private let clock = ManualRemoteClock()
    private let source: Source
    private let told = Told()

    private final class Told: Sendable {
        private let states = Mutex<[CredentialsState]>([])

        var all: [CredentialsState] { states.withLock { $0 } }

        func tell(_ state: CredentialsState) { states.withLock { $0.append(state) } }
    }

    init() {
        source = Source(clock)
    }

    private func credentials() -> TokenCredentials {
        TokenCredentials(source, clock: clock) { [told] in told.tell($0) }
    }

    @Test func `many calls at once fetch one token`() async throws {
        let credentials = credentials()
        let headers = try await withThrowingTaskGroup(of: [Header].self) { group in
            for _ in 0..<50 { group.addTask { try await credentials.headers(as: nil) } }
            source.put(.success("t"))
            var all: [[Header]] = []
            for try await headers in group { all.append(headers) }
            return all
        }
        #expect(headers == Array(repeating: [Header("authorization", "Bearer t")], count: 50))
        #expect(source.fetchCount == 1)
        #expect(told.all == [.ready])
    }

    @Test func `what fails at the start is told, and tried again until it is mended`() async throws
    {
        let credentials = credentials()
        source.put(.failure(Self.offline))
        source.put(.failure(Self.offline))
        credentials.start()
        // The first retry is at once, the next waits.
        _ = try await eventually {
            clock.sleeperCount
        } is: {
            $0 == 1
        }
        #expect(told.all == [.failing(Self.offline)])
        let error = await #expect(throws: HearthError.self) {
            try await credentials.headers(as: nil)
        }
        #expect(error == Self.offline)
        #expect(source.fetchCount == 2)
        source.put(.success("t"))
        clock.advance(by: .seconds(2))
        _ = try await eventually {
            told.all
        } is: {
            $0.last == .ready
        }
        #expect(try await credentials.headers(as: nil) == [Header("authorization", "Bearer t")])
        #expect(source.fetchCount == 3)
    }

    @Test func `what is wrong with a key never ends a call for good`() async throws {
        let credentials = credentials()
        source.put(.failure(HearthError(code: .failedPrecondition, message: "no key")))
        let error = await #expect(throws: HearthError.self) {
            try await credentials.headers(as: nil)
        }
        #expect(error == HearthError(code: .unauthenticated, message: "no key"))
        source.put(.success("t"))  // For the retry, which would wait for ever.
    }

    @Test func `a refused token is fetched anew for the next call`() async throws {
        let credentials = credentials()
        source.put(.success("stale"))
        let stale = try await credentials.headers(as: nil)
        await credentials.believed(stale)
        await credentials.refused(stale)
        source.put(.success("fresh"))
        let fresh = try await credentials.headers(as: nil)
        #expect(fresh == [Header("authorization", "Bearer fresh")])
        await credentials.refused(stale)
        #expect(try await credentials.headers(as: nil) == fresh)
        #expect(source.fetchCount == 2)
    }

    @Test func `a cancelled call does not wait for the token`() async throws {
        let credentials = credentials()
        let call = Task { try await credentials.headers(as: nil) }
        _ = try await eventually {
            source.fetchCount
        } is: {
            $0 == 1
        }
        call.cancel()
        let error = await #expect(throws: HearthError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        source.put(.success("t"))
        #expect(try await credentials.headers(as: nil) == [Header("authorization", "Bearer t")])
        #expect(source.fetchCount == 1)
    }
}
