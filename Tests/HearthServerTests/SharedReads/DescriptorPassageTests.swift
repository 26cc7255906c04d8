import Glibc
import Testing

@testable import HearthServer

/// Descriptors on the way, on pairs of sockets.
struct DescriptorPassageTests {
    /// `POLLRDHUP`, which Swift does not import.
    private static let hungUp: Int16 = 0x2000

    /// The two ends of a connection, and what the first sends.
    private final class Pair {
        let (own, peers): (Int32, Int32)
        private var isOpen = true

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            (own, peers) = (ends[0], ends[1])
        }

        func send(
            by passage: DescriptorPassage, _ session: UInt64, of uid: UInt32 = 7, file: Int32 = 0
        ) -> DescriptorPassage.Outcome {
            passage.send([1, 2, 3], with: file, on: own, of: session, uid)
        }

        func readAll() {
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = recv(peers, &bytes, bytes.count, 0)
        }

        func closeOwn() {
            close(own)
            isOpen = false
        }

        deinit {
            if isOpen { close(own) }
            close(peers)
        }
    }

    private let passage = DescriptorPassage(
        .init(uidCountMax: 2, countMax: 3, lookPause: .zero))

    @Test func `a session has the next one only when its client has read the last`() throws {
        let pair = try Pair()
        #expect(pair.send(by: passage, 1) == .sent(byteCount: 3))
        #expect(!passage.hasRoom(for: 1, of: 7))
        #expect(pair.send(by: passage, 1) == .refused)
        pair.readAll()
        #expect(pair.send(by: passage, 1) == .sent(byteCount: 3))
    }

    @Test func `a user has a few on the way, and all users have some more`() throws {
        let pairs = try (0..<5).map { _ in try Pair() }
        #expect(pairs[0].send(by: passage, 0) == .sent(byteCount: 3))
        #expect(pairs[1].send(by: passage, 1) == .sent(byteCount: 3))
        #expect(pairs[2].send(by: passage, 2) == .refused)
        #expect(pairs[3].send(by: passage, 3, of: 8) == .sent(byteCount: 3))
        #expect(pairs[4].send(by: passage, 4, of: 9) == .refused)
        pairs[0].readAll()
        #expect(pairs[4].send(by: passage, 4, of: 9) == .sent(byteCount: 3))
    }

    @Test func `all descriptors are looked at once in a while, a user's own each time`() throws {
        let passage = DescriptorPassage(
            .init(uidCountMax: 2, countMax: 2, lookPause: .seconds(3_600)))
        let pairs = try (0..<3).map { _ in try Pair() }
        #expect(pairs[0].send(by: passage, 0) == .sent(byteCount: 3))
        #expect(pairs[1].send(by: passage, 1, of: 8) == .sent(byteCount: 3))
        #expect(!passage.hasRoom(for: 2, of: 9))
        pairs[0].readAll()
        #expect(!passage.hasRoom(for: 2, of: 9))
        #expect(passage.hasRoom(for: 3, of: 7))
    }

    @Test func `what the client of an ended session has not read counts until it goes`() throws {
        var pair: Pair? = try Pair()
        #expect(try #require(pair).send(by: passage, 1) == .sent(byteCount: 3))
        pair?.closeOwn()
        passage.ended(1)
        #expect(passage.count == 1)
        // The client hears of the end.
        var bytes = [UInt8](repeating: 0, count: 3)
        let peers = try #require(pair).peers
        var event = pollfd(fd: peers, events: Self.hungUp, revents: 0)
        #expect(poll(&event, 1, 10_000) == 1 && event.revents & Self.hungUp != 0)
        _ = recv(peers, &bytes, 0, 0)
        pair = nil
        #expect(passage.hasRoom(for: 2, of: 7))
        #expect(passage.count == 0)
    }

    @Test func `an ended session whose client has read all leaves nothing`() throws {
        let pair = try Pair()
        #expect(pair.send(by: passage, 1) == .sent(byteCount: 3))
        pair.readAll()
        pair.closeOwn()
        passage.ended(1)
        #expect(passage.count == 0)
    }

    @Test func `what the kernel does not send is refused, and a client that is gone is told`()
        throws
    {
        let pair = try Pair()
        #expect(pair.send(by: passage, 1, file: -1) == .refused)
        #expect(passage.count == 0)
        shutdown(pair.peers, Int32(SHUT_RDWR))
        #expect(pair.send(by: passage, 1) == .broken)
        #expect(passage.count == 0)
    }
}
