import HearthModel
import Testing

/// Whose the users of a range are.
struct SubordinateRangesTests {
    private static func uid(of name: String) -> UInt32? {
        ["ada": 1_000, "bob": 1_001, "root": 0][name]
    }

    @Test func `every user of an owner's ranges is the owner's, and all others are their own`() {
        let ranges = SubordinateRanges(
            """
            ada:100000:65536
            1001:165536:65536
            ada:300000:10
            """, uid: Self.uid)
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
            "\(owner):1000000:10\n\(owner):2000000:10\n\(owner):0:4", uid: Self.uid)
        #expect(ranges.owner(of: 1_000_009) == 1_000_000)
        #expect(ranges.owner(of: 2_000_005) == 1_000_000)
        #expect(ranges.owner(of: 0) == 0)
    }

    @Test func `an owner whom nobody knows is told from root and from a number`() {
        let ranges = SubordinateRanges(
            "ada:100000:5\ngone:200000:5\nroot:300000:5\n7:400000:5", uid: Self.uid)
        let uids: [UInt32] = [5, 100_000, 200_004, 300_000, 400_000]
        #expect(uids.filter(ranges.isOwnerUnknown) == [200_004])
        #expect(ranges.haveUnknownOwner)
        #expect(!SubordinateRanges("ada:100000:5\n7:400000:5", uid: Self.uid).haveUnknownOwner)
    }

    @Test(arguments: [
        "ada", "ada:1", "ada:1:0", "ada:-5:7", "ada:x:y", "ada:1:2:3", "ada:4294967296:5", ":::",
        "#",
    ])
    func `a line that gives no range is passed over`(line: String) {
        let ranges = SubordinateRanges("\(line)\nbob:200000:5\n", uid: Self.uid)
        #expect(ranges.owner(of: 1) == 1)
        #expect(ranges.owner(of: 200_004) == 1_001)
    }

    @Test func `a range ends with the last user there can be`() {
        let ranges = SubordinateRanges("ada:4294967290:4294967295", uid: Self.uid)
        #expect(ranges.owner(of: UInt32.max) == 1_000)
        #expect(ranges.owner(of: 5) == 5)
    }
}
