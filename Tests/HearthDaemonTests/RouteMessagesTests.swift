import Testing

@testable import HearthDaemon

/// Datagrams as `rtnetlink(7)` lays them out.
struct RouteMessagesTests {
    private static let (newLink, delLink, newAddress, newRoute, delRoute):
        (
            UInt16, UInt16, UInt16, UInt16, UInt16
        ) = (16, 17, 20, 24, 25)
    private static let (up, lowerUp): (UInt32, UInt32) = (1, 1 << 16)

    private func message(_ kind: UInt16, _ body: [UInt8] = [UInt8](repeating: 0, count: 8))
        -> [UInt8]
    {
        let length = UInt32(16 + body.count)
        return bytes(length) + bytes(kind) + [UInt8](repeating: 0, count: 10) + body
    }

    private func link(_ flags: UInt32) -> [UInt8] {
        message(Self.newLink, [UInt8](repeating: 0, count: 8) + bytes(flags) + bytes(flags))
    }

    private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private func tell(_ datagram: [UInt8]) -> Bool { RouteMessages(datagram[...]).tellOfNetwork }

    @Test(arguments: [newAddress, newRoute])
    func `a new address or route is a network`(kind: UInt16) {
        #expect(tell(message(kind)))
    }

    @Test(arguments: [delLink, delRoute])
    func `what goes is none`(kind: UInt16) {
        #expect(!tell(message(kind)))
    }

    @Test func `a link is one when its other end is there`() {
        #expect(tell(link(Self.up | Self.lowerUp)))
        #expect(!tell(link(Self.up)))
    }

    @Test func `the second message of a datagram counts too, behind its padding`() {
        #expect(tell(message(Self.delRoute, [1, 2, 3]) + [0] + message(Self.newRoute)))
    }

    @Test func `what is cut short tells nothing`() {
        let whole = link(Self.up | Self.lowerUp)
        for count in whole.indices { #expect(!tell(Array(whole[..<count])), "\(count) bytes") }
        #expect(!tell([]))
        #expect(!tell([4, 0, 0, 0] + whole.dropFirst(4)))
    }
}
