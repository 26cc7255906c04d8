import HearthTestSupport
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

    private func expect(_ owner: UInt32, for uid: UInt32, in users: SubordinateUsers) async throws {
        _ = try await eventually {
            users.owner(of: uid)
        } is: {
            $0 == owner
        }
    }
}
