package import NIOCore
import Synchronization

/// One piece for each event loop, made when the piece is first asked for.
///
/// A piece must hold its event loop, because the table knows event loops by their identity alone.
package struct LoopPieces<Piece: Sendable>: ~Copyable, Sendable {
    private let pieces = Mutex<[ObjectIdentifier: Piece]>([:])

    /// No loop has a piece.
    package init() {}

    /// The piece of an event loop.
    ///
    /// - Parameter make: Makes the piece for a loop that has none. The table is locked meanwhile.
    package func piece(of loop: any EventLoop, _ make: () -> Piece) -> Piece {
        pieces.withLock { pieces in
            if let piece = pieces[ObjectIdentifier(loop)] { return piece }
            let piece = make()
            pieces[ObjectIdentifier(loop)] = piece
            return piece
        }
    }

    /// The pieces of all loops.
    package var all: [Piece] { pieces.withLock { Array($0.values) } }
}
