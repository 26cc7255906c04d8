import Glibc
import HearthServer
import HearthTestSupport
import Testing

/// What a store tells of the room that it lacks.
struct StoreReserveTests {
    private let folder = TemporaryFolder()

    @Test func `what helps on a full disk is the room that the reserve lacks, and a little more`()
        throws
    {
        try folder.write(String(repeating: "x", count: 3 << 20), to: "x.sqlite")
        try folder.write(String(repeating: "x", count: 2 << 20), to: "x.sqlite-intake")
        let reserve = StoreReserve(besides: folder.path + "/x.sqlite")
        #expect(
            reserve.advice
                == "Make 7 MiB free on the file system of \(folder.path), or in the quota of the "
                + "daemon's user; the daemon then goes on by itself")
        try reserve.take()
        reserve.release()
        #expect(reserve.advice.hasPrefix("Make 4 MiB free "))
    }

    @Test func `a file longer than any intake log needs no more room than a log`() throws {
        try folder.write("", to: "x.sqlite-intake")
        try #require(truncate(folder.path + "/x.sqlite-intake", 100 << 30) == 0)
        let reserve = StoreReserve(besides: folder.path + "/x.sqlite")
        #expect(reserve.advice.hasPrefix("Make 11 MiB free "))
    }

    @Test func `of a folder that cannot be made, the folder above has the file system`() {
        let reserve = StoreReserve(besides: folder.path + "/firestore/demo/x.sqlite")
        #expect(
            reserve.advice.hasPrefix("Make 3 MiB free on the file system of \(folder.path), "))
    }
}
