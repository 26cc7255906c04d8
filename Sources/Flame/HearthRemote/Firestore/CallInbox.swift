import HearthRPC
import NIOCore
import Synchronization

/// The answer of one call for one task, which takes it piece by piece.
///
/// Little waits here: while the task is busy, the server's messages wait at the server, by HTTP/2's
/// own flow control.
final class CallInbox: Sendable {
    /// A piece of an answer.
    enum Piece: Sendable {
        /// The call has gone out.
        case opened
        case message(ByteBuffer)
        /// The last piece.
        case end(CallEnd)
    }

    private struct State {
        var waiting = CircularBuffer<Piece>()
        var byteCount = 0
        var isFull = false
        var taker: CheckedContinuation<Piece, Never>?
    }

    /// So many bytes of messages may wait; one message may be larger.
    private static let byteCountMax = 1 << 16
    /// So many pieces may wait.
    private static let pieceCountMax = 32

    private let state = Mutex(State())

    /// What the call tells.
    var listener: CallListener {
        CallListener(
            opened: { self.put(.opened, byteCount: 0) },
            received: { message in self.put(.message(message), byteCount: message.readableBytes) },
            ended: { self.put(.end($0), byteCount: 0) })
    }

    /// Waits for the next piece. Only one task may take, and nothing behind the end.
    ///
    /// - Parameter call: The call, which is told when more may come.
    func next(of call: ClientCall) async -> Piece {
        let (piece, isRoomy) = await take()
        if isRoomy { call.resume() }
        return piece
    }

    private func take() async -> (piece: Piece, isRoomy: Bool) {
        let piece = await withCheckedContinuation { continuation in
            let piece = state.withLock { state -> Piece? in
                if let piece = state.waiting.popFirst() { return piece }
                state.taker = continuation
                return nil
            }
            if let piece { continuation.resume(returning: piece) }
        }
        let isRoomy = state.withLock { state in
            if case .message(let message) = piece { state.byteCount -= message.readableBytes }
            guard state.isFull, state.waiting.isEmpty else { return false }
            state.isFull = false
            return true
        }
        return (piece, isRoomy)
    }

    /// Adds a piece, and returns whether more may come.
    @discardableResult
    private func put(_ piece: Piece, byteCount: Int) -> Bool {
        let (taker, isRoomy) = state.withLock { state in
            state.byteCount += byteCount
            defer { state.taker = nil }
            if state.taker == nil { state.waiting.append(piece) }
            state.isFull =
                state.byteCount >= Self.byteCountMax && !state.waiting.isEmpty
                || state.waiting.count >= Self.pieceCountMax
            return (state.taker, !state.isFull)
        }
        taker?.resume(returning: piece)
        return isRoomy
    }
}
