/// One stream of a connection, from the client's headers until both sides have ended.
struct HTTP2Stream {
    /// How many sent bytes the stream may keep in front of the waiting bytes.
    private static let leftByteCountMax = 4_096

    /// Bytes that may still be sent; less than none if the client has made its windows smaller.
    var sendWindow: Int
    /// Bytes that came and for which the client was not given new room.
    var windowDebt = 0
    /// Whether the client will send no more.
    var hasClientEnded = false
    /// Whether anything of the answer was sent.
    var hasAnswer = false
    /// Whether the stream stands in the queue of those that may send.
    var isQueued = false
    /// The trailers that follow the waiting bytes.
    var trailers: HeaderFields?

    /// Bytes of data that are still to come; `nil` if the client did not say how many.
    private var announcedByteCount: Int?
    private var waiting: [UInt8] = []
    /// Bytes at the beginning of `waiting` that have left.
    private var leftCount = 0

    /// A stream that begins.
    init(sendWindow: Int, hasClientEnded: Bool, announcedByteCount: Int?) {
        self.sendWindow = sendWindow
        self.hasClientEnded = hasClientEnded
        self.announcedByteCount = announcedByteCount
    }

    /// Counts bytes of data that came.
    ///
    /// - Returns: Whether there are as many as the client has announced, so far.
    /// - Source: RFC 9113, 8.1.1.
    mutating func takes(_ byteCount: Int, isLast: Bool) -> Bool {
        guard let left = announcedByteCount else { return true }
        announcedByteCount = left - byteCount
        return isLast ? left == byteCount : left >= byteCount
    }

    /// Bytes that wait for room at the client.
    var waitingByteCount: Int { waiting.count - leftCount }

    /// Memory that is held for those bytes.
    var heldByteCount: Int { waiting.capacity }

    /// Takes the room of bytes that are to leave at once.
    ///
    /// - Returns: Whether there is room, and nothing that must leave first.
    mutating func takeRoom(_ byteCount: Int) -> Bool {
        guard waitingByteCount == 0, byteCount <= sendWindow else { return false }
        sendWindow -= byteCount
        return true
    }

    /// Adds a message behind its prefix to the bytes that wait.
    mutating func wait(_ message: [UInt8]) {
        waiting.appendMessage(message)
    }

    /// Moves bytes that wait to the end of `output`.
    mutating func takeWaiting(_ count: Int, into output: inout [UInt8]) {
        output.append(contentsOf: waiting[leftCount..<leftCount + count])
        leftCount += count
        compact()
    }

    /// Lets go of the sent bytes once they are more than the waiting bytes. So a client that never
    /// takes the last bytes of a long message does not hold the memory of the whole message.
    private mutating func compact() {
        guard leftCount == waiting.count || leftCount > Self.leftByteCountMax,
            leftCount > waiting.count / 2
        else { return }
        waiting = Array(waiting[leftCount...])
        leftCount = 0
    }
}

extension [UInt8] {
    /// The bytes before each message of gRPC.
    static let messagePrefixByteCount = 5

    /// Appends a message behind the prefix that gRPC has: 0 for not packed, and the length.
    mutating func appendMessage(_ message: [UInt8]) {
        append(0)
        appendNumber(UInt32(truncatingIfNeeded: message.count))
        append(contentsOf: message)
    }
}
