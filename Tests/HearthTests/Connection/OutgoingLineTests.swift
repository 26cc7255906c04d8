import Glibc
import Testing

@testable import Hearth

struct OutgoingLineTests {
    private let socket: UnixSocket
    private let peer: UnixSocket

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        socket = UnixSocket(descriptor: ends[0])
        peer = UnixSocket(descriptor: ends[1])
    }

    @Test func `what comes while one writes goes out together after it`() throws {
        var line = OutgoingLine(socket)
        line.append([1])
        let taken = line.take()
        let first = try #require(taken)
        #expect(first.bytes == [1])
        line.append([2])
        line.append([3])
        let another = line.take()
        #expect(another == nil)
        let following = line.wrote(first, .bytes(1))
        let next = try #require(following)
        #expect(next.bytes == [2, 3])
        let rest = line.wrote(next, .bytes(2))
        #expect(rest == nil)
        #expect(!line.isStuck)
        line.append([4])
        let last = line.take()
        #expect(last?.bytes == [4])
    }

    @Test(arguments: [UnixSocket.Outcome.bytes(1), .wouldBlock, .closed("broken")])
    func `what the socket does not take stays in front`(outcome: UnixSocket.Outcome) throws {
        var line = OutgoingLine(socket)
        line.append([1, 2])
        let taken = line.take()
        let first = try #require(taken)
        line.append([3])
        let next = line.wrote(first, outcome)
        #expect(next == nil)
        #expect(line.isStuck)
        let another = line.take()
        #expect(another == nil)
        let rest = line.resume()
        #expect(rest?.bytes == (outcome == .bytes(1) ? [2, 3] : [1, 2, 3]))
        #expect(!line.isStuck)
    }

    @Test func `what is left of many bytes goes on where it lies, before what came later`() throws {
        var line = OutgoingLine(socket)
        line.append([UInt8](repeating: 7, count: 1 << 20))
        var stretch = line.take()
        for count in 1...3 {
            let taken = try #require(stretch)
            #expect(taken.bytes.startIndex == (count - 1) * 1_000, "Nothing is moved to the front.")
            line.append([UInt8(count)])
            let next = line.wrote(taken, .bytes(1_000))
            #expect(next == nil)
            #expect(line.byteCount == (1 << 20) - count * 999)
            stretch = line.resume()
        }
        let taken = try #require(stretch)
        let next = line.wrote(taken, .bytes(taken.bytes.count))
        #expect(next?.bytes == [1, 2, 3])
    }

    @Test func `nothing is written while answers are taken`() {
        var line = OutgoingLine(socket)
        line.pause()
        line.append([1])
        line.append([2])
        let early = line.take()
        #expect(early == nil)
        let all = line.resume()
        #expect(all?.bytes == [1, 2])
    }

    @Test func `what was taken for a connection that is lost stays off the next`() throws {
        var line = OutgoingLine(socket)
        line.append([1])
        let taken = line.take()
        let lost = try #require(taken)
        line = OutgoingLine(peer)
        let next = line.wrote(lost, .wouldBlock)
        #expect(next == nil)
        #expect(line.byteCount == 0)
        #expect(!line.isStuck)
        line = OutgoingLine()
        line.append([1])
        #expect(line.byteCount == 0)
    }
}

extension OutgoingLine.Stretch: Equatable {
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.socket === rhs.socket && lhs.bytes == rhs.bytes
    }
}
