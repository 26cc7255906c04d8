/// What no honest peer of HTTP/2 does, for every server of ours that speaks HTTP/2.
package enum HostilePeer: String, CaseIterable, Sendable {
    /// Asks for life without end.
    case pings
    /// Changes its settings without end.
    case settings
    /// Begins calls and gives each up at once.
    case resets
    /// Begins a block of headers that goes on for ever.
    case continuations
    /// Gives the connection more room than there is.
    case windows
    /// Gives no room, in so many words.
    case emptyWindows

    /// More pings and settings than any client needs in a minute.
    private static let controlFrameCount = 6_100
    /// More calls given up than any suite of tests has in a minute.
    private static let resetCount = 20_100

    /// The bytes that the peer sends, with what a connection begins with.
    ///
    /// - Parameter method: The whole path of a method that is not answered at once.
    package func bytes(calling method: String) -> [UInt8] {
        let begin = RawFrames.greeting + RawFrames.frame(4, 1, 0, [])
        switch self {
        case .pings:
            return begin + repeated(Self.controlFrameCount, RawFrames.frame(6, 0, 0, Self.eight))
        case .settings:
            return begin + repeated(Self.controlFrameCount, RawFrames.frame(4, 0, 0, []))
        case .resets:
            return begin
                + (0..<Self.resetCount).flatMap { number in
                    let stream = UInt32(2 * number + 1)
                    return RawFrames.open(method, on: stream)
                        + RawFrames.frame(3, 0, stream, [0, 0, 0, 8])
                }
        case .continuations:
            let name = Array("x-flood".utf8)
            let value = [UInt8](repeating: 0x61, count: 120)
            let header = [0, UInt8(name.count)] + name + [UInt8(value.count)] + value
            let part = repeated(100, header)
            return begin + RawFrames.frame(1, 0, 1, part)
                + repeated(200, RawFrames.frame(9, 0, 1, part))
        case .windows:
            return begin + repeated(2, RawFrames.frame(8, 0, 0, [0x7F, 0xFF, 0xFF, 0xFF]))
        case .emptyWindows: return begin + RawFrames.frame(8, 0, 0, [0, 0, 0, 0])
        }
    }

    /// Whether an answer's frames send the peer away with an error.
    package static func isSentAway(_ answer: [UInt8]) -> Bool {
        RawFrames.frames(answer).contains { frame in
            frame.type == 7 && frame.payload.count >= 8
                && frame.payload[4..<8].contains { $0 != 0 }
        }
    }

    private static let eight: [UInt8] = Array(repeating: 1, count: 8)

    private func repeated(_ count: Int, _ frame: [UInt8]) -> [UInt8] {
        Array(repeatElement(frame, count: count).joined())
    }
}
