import Dispatch
import HearthTestSupport
import Synchronization
import Testing

@testable import HearthServer

/// Whose the subordinate users of a machine are.
struct SubordinateUsersTests {
    private static let names: @Sendable (String) -> UInt32? = {
        ["ada": 1_000, "bob": 1_001, "root": 0][$0]
    }

    @Test func `a file that changes counts without a new start, and so does one that goes`()
        async throws
    {
        let folder = TemporaryFolder()
        let path = try folder.write("ada:100000:10\n", to: "subuid")
        let users = SubordinateUsers(path: path, lookPause: .zero, uid: Self.names)
        users.read()
        #expect(users.owner(of: 100_005) == 1_000)
        try folder.write("ada:100000:10\nbob:200000:10\n", to: "subuid")
        try await expect(1_001, for: 200_005, in: users)
        folder.remove()
        try await expect(200_005, for: 200_005, in: users)
    }

    /// Names of users that a network knows, which comes and goes.
    private final class Network: Sendable {
        private let state = Mutex((isThere: false, askedCount: 0))

        var askedCount: Int { state.withLock { $0.askedCount } }

        func set(isThere: Bool) { state.withLock { $0.isThere = isThere } }

        func uid(_ name: String) -> UInt32? {
            state.withLock { state in
                state.askedCount += 1
                return state.isThere && name == "ada" ? 1_000 : nil
            }
        }
    }

    @Test func `an owner whom nobody knew is looked up again when a user of that owner comes`()
        async throws
    {
        let folder = TemporaryFolder()
        let network = Network()
        let users = SubordinateUsers(
            path: try folder.write("ada:100000:10\n", to: "subuid"), lookPause: .zero,
            retryPause: .zero, uid: network.uid)
        users.read(within: .seconds(60))
        #expect(network.askedCount == 1)
        network.set(isThere: true)
        // Nobody asks for another user's sake.
        #expect(users.owner(of: 7) == 7)
        users.read(within: .seconds(60))
        #expect(network.askedCount == 1)
        try await expect(1_000, for: 100_005, in: users)
        // Who was found stays, though the network goes.
        network.set(isThere: false)
        users.retryLater()
        users.read(isRetry: true)
        #expect(users.owner(of: 100_005) == 1_000)
    }

    @Test func `a name is looked up again once in a pause`() throws {
        let folder = TemporaryFolder()
        let network = Network()
        let users = SubordinateUsers(
            path: try folder.write("ada:100000:10\n", to: "subuid"), retryPause: .seconds(3_600),
            uid: network.uid)
        users.read(within: .seconds(60))
        for _ in 0..<100 { #expect(users.owner(of: 100_005) == 100_000) }
        users.retryLater()
        users.read(within: .seconds(60))  // Behind all that was ordered.
        #expect(network.askedCount == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a start does not wait for a name that does not come`() throws {
        let folder = TemporaryFolder()
        let never = DispatchSemaphore(value: 0)
        defer { never.signal() }
        let users = SubordinateUsers(path: try folder.write("ada:100000:10\n", to: "subuid")) { _ in
            never.wait()
            return nil
        }
        users.read(within: .milliseconds(1))
        #expect(users.owner(of: 100_005) == 100_005)
    }

    private func expect(_ owner: UInt32, for uid: UInt32, in users: SubordinateUsers) async throws {
        _ = try await eventually {
            users.owner(of: uid)
        } is: {
            $0 == owner
        }
    }
}
