import HearthTestSupport
import Testing

@testable import HearthServer

/// Whose the subordinate users of a machine are.
struct SubordinateUsersTests {
    private static let names: @Sendable (String) -> UInt32? = {
        ["ada": 1_000, "bob": 1_001, "root": 0][$0]
    }

    @Test func `every user of an owner's ranges is the owner's, and all others are their own`() {
        let ranges = SubordinateRanges(
            """
            ada:100000:65536
            1001:165536:65536
            ada:300000:10
            """, uid: Self.names)
        for uid: UInt32 in [100_000, 165_535, 300_000, 300_009] {
            #expect(ranges.owner(of: uid) == 1_000)
        }
        #expect(ranges.owner(of: 165_536) == 1_001)
        for uid: UInt32 in [0, 1_000, 99_999, 231_072, 300_010, UInt32.max] {
            #expect(ranges.owner(of: uid) == uid)
        }
    }

    @Test(arguments: ["root", "0", "gone"])
    func `nobody becomes root, and the users of an unknown owner are one`(owner: String) {
        let ranges = SubordinateRanges(
            "\(owner):1000000:10\n\(owner):2000000:10\n\(owner):0:4", uid: Self.names)
        #expect(ranges.owner(of: 1_000_009) == 1_000_000)
        #expect(ranges.owner(of: 2_000_005) == 1_000_000)
        #expect(ranges.owner(of: 0) == 0)
    }

    @Test(arguments: [
        "ada", "ada:1", "ada:1:0", "ada:-5:7", "ada:x:y", "ada:1:2:3", "ada:4294967296:5", ":::",
        "#",
    ])
    func `a line that gives no range is passed over`(line: String) {
        let ranges = SubordinateRanges("\(line)\nbob:200000:5\n", uid: Self.names)
        #expect(ranges.owner(of: 1) == 1)
        #expect(ranges.owner(of: 200_004) == 1_001)
    }

    @Test func `a range ends with the last user there can be`() {
        let ranges = SubordinateRanges("ada:4294967290:4294967295", uid: Self.names)
        #expect(ranges.owner(of: UInt32.max) == 1_000)
        #expect(ranges.owner(of: 5) == 5)
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
