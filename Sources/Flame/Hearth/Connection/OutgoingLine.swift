/// Bytes of several threads on their way into one socket, in order.
///
/// The line only decides; `Client` writes. One thread writes at a time, outside the lock. Then the
/// thread writes the bytes that arrived meanwhile. So under load many frames go out with one system
/// call.
///
///     idle --take--> writing --wrote all--> idle, or writing on
///                       \--wrote less--> stuck --resume--> writing
struct OutgoingLine: Sendable {
    /// Bytes for one system call. The thread that takes a stretch off the line must write it.
    struct Stretch: Sendable {
        let socket: UnixSocket
        let bytes: ArraySlice<UInt8>
    }

    /// Where the bytes go; `nil` if there is no connection.
    let socket: UnixSocket?
    private var waiting: [UInt8] = []
    /// What the socket did not take of a stretch. It goes before `waiting`, and lies where it lay: to
    /// move what is left of a large bundle with each write would take longer than to send the bundle.
    private var left: Stretch?
    /// Whether a thread writes a stretch.
    private var isWriting = false
    /// Whether the client's own thread handles the events that have come. The thread writes after
    /// the last event, to send together all requests that the events cause.
    private var isPaused = false
    /// Whether the socket did not take all bytes of a stretch. The client's own thread writes the
    /// rest.
    private(set) var isStuck = false

    /// A line into a socket, or a line without a socket, which drops all bytes.
    init(_ socket: UnixSocket? = nil) {
        self.socket = socket
    }

    /// How many bytes wait.
    var byteCount: Int { waiting.count + (left?.bytes.count ?? 0) }

    /// Puts a frame at the end. Without a connection the frame is dropped, and `ClientMachine`
    /// sends its request again later.
    mutating func append(_ bytes: [UInt8]) {
        if socket != nil { waiting += bytes }
    }

    /// Takes the bytes that the caller must write now; `nil` if nothing waits or another thread
    /// writes.
    mutating func take() -> Stretch? {
        guard let socket, !isWriting, !isPaused, !isStuck else { return nil }
        if let left {
            isWriting = true
            self.left = nil
            return left
        }
        if waiting.isEmpty { return nil }
        isWriting = true
        defer { waiting = [] }
        return Stretch(socket: socket, bytes: waiting[...])
    }

    /// The caller has tried to write a stretch.
    ///
    /// - Returns: The next stretch for the caller to write; `nil` if there is none now.
    mutating func wrote(_ stretch: Stretch, _ outcome: UnixSocket.Outcome) -> Stretch? {
        guard stretch.socket === socket else { return nil }  // The stretch's connection was lost.
        isWriting = false
        let count = if case .bytes(let count) = outcome { count } else { 0 }
        if count < stretch.bytes.count {
            putBack(stretch.bytes.dropFirst(count), of: stretch)
            isStuck = true
        }
        return take()
    }

    /// Puts what the socket did not take in front, few bytes together with what waits.
    private mutating func putBack(_ rest: ArraySlice<UInt8>, of stretch: Stretch) {
        if rest.count + waiting.count <= Self.joinedByteCountMax {
            waiting.insert(contentsOf: rest, at: 0)
        } else {
            left = Stretch(socket: stretch.socket, bytes: rest)
        }
    }

    /// The most bytes that are moved to go out with one system call.
    private static let joinedByteCountMax = 1 << 16

    /// The client's own thread begins to handle events.
    mutating func pause() { isPaused = true }

    /// The client's own thread has handled its events, or the socket may be ready.
    ///
    /// - Returns: The stretch that the thread must write; `nil` if there is none.
    mutating func resume() -> Stretch? {
        isPaused = false
        isStuck = false
        return take()
    }
}
