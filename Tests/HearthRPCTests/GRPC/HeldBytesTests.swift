import Testing

@testable import HearthRPC

struct HeldBytesTests {
    @Test func `calls wait from the first byte too many until half is taken, and hear so once`() {
        var held = HeldBytes()
        #expect(!held.count(unread: 100, within: 100) && !held.isFull)
        #expect(!held.count(unread: 1, within: 100) && held.isFull)
        #expect(!held.count(unread: -50, within: 100) && held.isFull)
        #expect(held.count(unread: -1, within: 100) && !held.isFull)
        #expect(!held.count(unread: -50, within: 100))
        #expect(held.unread == 0)
    }

    @Test func `a service without a bound never has calls wait`() {
        var held = HeldBytes()
        #expect(!held.count(unread: 1 << 40, within: .max) && !held.isFull)
    }
}
