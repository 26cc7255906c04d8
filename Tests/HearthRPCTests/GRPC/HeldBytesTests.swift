import Testing

@testable import HearthRPC

struct HeldBytesTests {
    @Test func `calls wait from the first byte too many until half is taken, and hear so once`() {
        var held = HeldBytes()
        var areWaiting: [Bool] = []
        let goOn = [100, 1, -50, -1, -50].map { byteCount in
            defer { areWaiting.append(held.isFull) }
            return held.count(unread: byteCount, within: 100)
        }
        #expect(areWaiting == [false, true, true, false, false])
        #expect(goOn == [false, false, false, true, false])
        #expect(held.unread == 0)
    }

    @Test func `a service without a bound never has calls wait`() {
        var held = HeldBytes()
        let goesOn = held.count(unread: 1 << 40, within: .max)
        #expect(!goesOn && !held.isFull)
    }
}
