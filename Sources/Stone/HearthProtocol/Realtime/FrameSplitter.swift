/// Cuts a message into the pieces that the protocol lets a WebSocket frame carry.
///
/// Shape: a message that fits is one text frame. A longer one is a frame with the number of pieces in
/// decimal digits, then the pieces.
///
/// - Source: firebase-js-sdk `realtime/WebSocketConnection.ts` and `core/util/util.ts`.
package enum FrameSplitter {
    /// The longest piece, in units of UTF-16. One of them is up to three bytes of UTF-8.
    package static let unitCountMax = 16_384

    /// The texts of the frames of a message.
    ///
    /// - Parameter message: UTF-8. It is cut between scalars alone, so each piece is UTF-8 too.
    /// - Complexity: O(n).
    package static func frames(of message: [UInt8]) -> [ArraySlice<UInt8>] {
        // A scalar has at least as many bytes as units.
        guard message.count > unitCountMax else { return [message[...]] }
        let pieces = pieces(of: message)
        guard pieces.count > 1 else { return pieces }
        return [Array("\(pieces.count)".utf8)[...]] + pieces
    }

    private static func pieces(of message: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        var unitCount = 0
        for (offset, byte) in message.enumerated() where byte & 0xC0 != 0x80 {
            let units = byte >= 0xF0 ? 2 : 1
            if unitCount + units > unitCountMax {
                pieces.append(message[start..<offset])
                start = offset
                unitCount = 0
            }
            unitCount += units
        }
        pieces.append(message[start...])
        return pieces
    }
}
