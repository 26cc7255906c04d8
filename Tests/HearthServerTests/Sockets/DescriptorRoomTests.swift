import Glibc
import Testing

@testable import HearthServer

struct DescriptorRoomTests {
    @Test(arguments: [
        // The limit, and the first number that is kept.
        (65_536, 65_504), (1_024, 992), (100, 88), (4, 4),
    ])
    func `the last descriptors are kept, more of a large limit than of a small one`(
        countMax: Int, keptFrom: Int32
    ) {
        let room = DescriptorRoom(countMax: countMax)
        #expect(!room.isKept(keptFrom - 1))
        #expect(room.isKept(keptFrom))
    }

    @Test func `a process without a limit keeps none`() {
        #expect(!DescriptorRoom(countMax: .max).isKept(.max))
    }

    @Test func `a room is used up as long as the next descriptor is a kept one`() {
        #expect(DescriptorRoom(countMax: 1).failure(copying: 0) == .noDescriptor)
        #expect(DescriptorRoom(countMax: .max).failure(copying: 0) == nil)
    }

    @Test func `what cannot be copied tells why`() {
        #expect(DescriptorRoom(countMax: .max).failure(copying: -1) == AcceptFailure(code: EBADF))
    }

    @Test func `this process has room for what a test opens`() {
        #expect(!DescriptorRoom.ofProcess.isKept(10))
    }
}
