import CLinux
import Dispatch
import Glibc
import HearthModel
import Synchronization

/// Accepts the connections of one listening socket, on a thread of its own.
///
/// To accept a connection and to turn it away takes some microseconds here, nearly all of them the
/// kernel's. On an event loop each connection is a channel first, which costs more than most requests
/// do, so loops of connections would hold up everybody who is connected.
final class AcceptThread: Sendable {
    /// What became of a connection.
    enum Outcome {
        /// Somebody serves the connection.
        case taken
        /// Somebody serves the connection, and can take no more for a moment.
        case takenLast
        /// The connection is closed.
        case turnedAway
        /// The connection is closed, because the last descriptors are kept for administrators.
        case findsNoRoom
    }

    /// Decides on a connection, on the thread.
    typealias Greet = @Sendable (AcceptedSocket) -> Outcome

    /// Tells operators whether the socket accepts, on the thread.
    typealias Tell = @Sendable (AcceptTrouble.News) -> Void

    /// How many connections are accepted before the thread looks whether it should end.
    private static let roundCountMax = 256
    /// How many connections are turned away in a round before the thread pauses.
    private static let crowdCount = 16
    /// How long the thread pauses while a crowd comes. Far more connections may wait in the kernel
    /// than come in this time.
    private static let crowdPause = Duration.milliseconds(1)
    /// How long the thread pauses if nobody can be accepted, mostly for want of a descriptor.
    private static let want = Duration.milliseconds(100)

    private let listener: Int32
    private let room: DescriptorRoom
    /// A pipe: the thread ends when the writing end closes.
    private let life: (reading: Int32, writing: Int32)
    private let running = DispatchGroup()
    private let isStopped = Atomic(false)

    /// Accepts from now on.
    ///
    /// - Parameters:
    ///   - listener: A bound socket, which the thread closes at its end.
    ///   - backlog: Connections that may wait to be accepted.
    ///   - room: The descriptors of the process.
    ///   - tell: Called when nobody can be accepted, and when clients are accepted again.
    ///   - greet: Decides on each connection.
    /// - Throws: `unavailable` if nobody can listen on the socket, or the machine has no descriptor or
    ///   no thread left. The socket is closed then.
    init(
        _ listener: Int32, backlog: Int32 = 1_024, room: DescriptorRoom = .ofProcess,
        tell: @escaping Tell, greet: @escaping Greet
    ) throws(HearthError) {
        self.listener = listener
        self.room = room
        var ends: [Int32] = [-1, -1]
        let flags = fcntl(listener, F_GETFL)
        guard flags >= 0, fcntl(listener, F_SETFL, flags | O_NONBLOCK) == 0,
            listen(listener, backlog) == 0, pipe(&ends) == 0
        else {
            let reason = lastError()
            close(listener)
            throw HearthError(code: .unavailable, message: "Cannot listen: \(reason).")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        life = (ends[0], ends[1])
        running.enter()
        guard OwnThread.start({ [self] in run(greet, tell) }) else {
            for descriptor in [listener] + ends { close(descriptor) }
            running.leave()
            throw HearthError(
                code: .unavailable, message: "Cannot listen: the machine has no thread left.")
        }
    }

    /// Accepts nobody any more. Returns when the thread has ended and the socket is closed.
    func stop() async {
        if !isStopped.exchange(true, ordering: .relaxed) { close(life.writing) }
        await withCheckedContinuation { continuation in
            running.notify(queue: .global()) { continuation.resume() }
        }
    }

    private func run(_ greet: Greet, _ tell: Tell) {
        OwnThread.stepBack()  // Whoever is connected already goes before whoever comes.
        var trouble = AcceptTrouble()
        while waits(atMost: trouble.patience) {
            var (pause, failure) = acceptRound(greet)
            // Nobody may have come, and the next client may still find no descriptor.
            if failure == nil, trouble.isFailing { failure = room.failure(copying: listener) }
            if let news = trouble.tried(failure, at: SystemClock().uptime()) { tell(news) }
            if pause > .zero { OwnThread.wait(pause) }
        }
        close(listener)
        close(life.reading)
        running.leave()
    }

    /// Waits for a connection, or until `patience` is used up; false when the thread should end.
    private func waits(atMost patience: Duration?) -> Bool {
        var ends = [
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            pollfd(fd: life.reading, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = patience.map { Int32($0 / .milliseconds(1)) } ?? -1
        while poll(&ends, nfds_t(ends.count), milliseconds) < 0, errno == EINTR {}
        return ends[1].revents == 0
    }

    /// Accepts those who have come; returns for how long nobody is accepted next, and the failure
    /// if there is one.
    private func acceptRound(_ greet: Greet) -> (pause: Duration, failure: AcceptFailure?) {
        var crowd = 0
        var failure: AcceptFailure?
        for count in 0..<Self.roundCountMax {
            let descriptor = clinux_accept(listener)
            guard descriptor >= 0 else {
                let code = errno
                if code == EAGAIN {  // Nobody more has come.
                    // A socket that somebody has shut down is ready for good, and nobody ever comes.
                    if count == 0 { return (Self.want, nil) }
                    break
                }
                if code == EINTR || code == ECONNABORTED { continue }
                return (Self.want, AcceptFailure(code: code))
            }
            switch greet(AcceptedSocket(descriptor)) {
            case .taken: continue
            case .takenLast: return (Self.crowdPause, failure)
            case .turnedAway: crowd += 1
            case .findsNoRoom: (crowd, failure) = (crowd + 1, .noDescriptor)
            }
        }
        return (crowd >= Self.crowdCount ? Self.crowdPause : .zero, failure)
    }
}
