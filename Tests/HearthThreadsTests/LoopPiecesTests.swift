import HearthThreads
import NIOCore
import NIOPosix
import Testing

struct LoopPiecesTests {
    private final class Piece: Sendable {
        let loop: any EventLoop

        init(_ loop: any EventLoop) { self.loop = loop }
    }

    @Test func `each loop has one piece, made when it is first asked for`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let pieces = LoopPieces<Piece>()
        #expect(pieces.all.isEmpty)
        let loops = [group.next(), group.next()]
        let made = loops.map { loop in pieces.piece(of: loop) { Piece(loop) } }
        for (loop, piece) in zip(loops, made) {
            #expect(piece.loop === loop)
            #expect(pieces.piece(of: loop) { Piece(loop) } === piece)
        }
        #expect(made[0] !== made[1])
        #expect(pieces.all.count == 2)
        try await group.shutdownGracefully()
    }
}
