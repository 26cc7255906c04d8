/// Bytes on their way into a socket, in order, whoever brings them. Decides; `Client` writes.
///
/// One thread writes at a time, outside the lock. What others append meanwhile it takes along when it
/// is through, so that under load many frames go out with one system call.
///
///     idle --take--> writing --wrote all--> idle, or writing on
///                       \--wrote less--> stuck --resume--> writing
struct OutgoingLine: Sendable {
    /// Bytes for one system call, taken off the line by whoever writes them.
    struct Stretch: Sendable {
        let socket: UnixSocket
        let bytes: [UInt8]
    }

    /// Where the bytes go; `nil` if there is no connection.
    let socket: UnixSocket?
    private var waiting: [UInt8] = []
    /// Whether a thread writes a stretch.
    private var isWriting = false
    /// Whether our own thread takes what has come. It writes when it is through with it, so that
    /// requests that answers give rise to go out together.
    private var isPaused = false
    /// Whether the socket has not taken all that it was given: our own thread writes the rest.
    private(set) var isStuck = false

    /// A line into a socket, or one that takes nothing.
    init(_ socket: UnixSocket? = nil) {
        self.socket = socket
    }

    /// Bytes that wait.
    var byteCount: Int { waiting.count }

    /// Puts a frame at the end. Without a connection it is lost, and will be sent again.
    mutating func append(_ bytes: [UInt8]) {
        if socket != nil { waiting += bytes }
    }

    /// What must be written now, by whoever asks; `nil` if somebody else will.
    mutating func take() -> Stretch? {
        guard let socket, !waiting.isEmpty, !isWriting, !isPaused, !isStuck else { return nil }
        isWriting = true
        defer { waiting = [] }
        return Stretch(socket: socket, bytes: waiting)
    }

    /// A stretch was written, or not; returns the next, if there is one now.
    mutating func wrote(_ stretch: Stretch, _ outcome: UnixSocket.Outcome) -> Stretch? {
        guard stretch.socket === socket else { return nil }  // Of a connection that was lost.
        isWriting = false
        let count = if case .bytes(let count) = outcome { count } else { 0 }
        if count < stretch.bytes.count {
            waiting.insert(contentsOf: stretch.bytes[count...], at: 0)
            isStuck = true
        }
        return take()
    }

    /// Our own thread begins to take what has come.
    mutating func pause() { isPaused = true }

    /// Our own thread is through, or the socket may be ready: what it must write, if anything.
    mutating func resume() -> Stretch? {
        isPaused = false
        isStuck = false
        return take()
    }
}
