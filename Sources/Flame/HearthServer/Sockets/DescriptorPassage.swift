import CLinux
import Glibc
import Synchronization

/// The descriptors that went to clients, until the clients have taken the descriptors.
///
/// The kernel counts a descriptor that lies unread on a socket for the sender's user, the daemon's. When
/// RLIMIT_NOFILE descriptors lie so, the kernel refuses to send another one to anybody. So a session has
/// one descriptor on the way at most, and a user has a few:
///
///     free --send--> on the way --the client has read all, or is gone--> free
///
/// A disconnected client can leave its socket unread. So the passage keeps a descriptor of the socket, and
/// asks the kernel by this descriptor what the client has not read.
final class DescriptorPassage: Sendable {
    /// How many descriptors may be on the way.
    struct Limits: Sendable {
        /// Descriptors to clients of one Unix user. Whoever reads at all takes a descriptor within milliseconds.
        var uidCountMax = 16
        /// Descriptors to all clients: a quarter of the files that a process may have by default.
        var countMax = 256
        /// How long after a look at all descriptors the next one is due. Each costs a call of the kernel, and
        /// event loops wait meanwhile.
        var lookPause = Duration.seconds(1)
    }

    /// What became of a frame with a descriptor.
    enum Outcome: Equatable {
        /// So many bytes are on the way, and the descriptor with the first.
        case sent(byteCount: Int)
        /// The socket has no room now.
        case socketFull
        /// The descriptor cannot go: too many are on the way, or the kernel says no.
        case refused
        /// The client is gone.
        case broken
    }

    private struct Entry {
        let uid: UInt32
        /// The passage's own descriptor of the client's socket.
        let socket: Int32

        /// Whether the client has not read all yet.
        var isOnTheWay: Bool { clinux_unread_byte_count(socket) > 0 }
    }

    private struct Table {
        /// The descriptors on the way, by session, connected or not.
        var entries: [UInt64: Entry] = [:]
        /// When all were looked at last.
        var lookedAt: ContinuousClock.Instant?
    }

    private let limits: Limits
    private let table = Mutex(Table())

    /// Nothing is on the way.
    init(_ limits: Limits = Limits()) { self.limits = limits }

    deinit { table.withLock { for entry in $0.entries.values { close(entry.socket) } } }

    /// How many descriptors are on the way, as far as is known.
    var count: Int { table.withLock { $0.entries.count } }

    /// Whether a session may be sent a descriptor now. O(descriptors on the way).
    func hasRoom(for session: UInt64, of uid: UInt32) -> Bool {
        table.withLock { hasRoom(for: session, of: uid, &$0) }
    }

    /// Sends a frame with a descriptor, without waiting.
    ///
    /// - Parameters:
    ///   - file: The descriptor that goes with the first byte.
    ///   - socket: The client's, which has nothing else to write.
    func send(
        _ bytes: [UInt8], with file: Int32, on socket: Int32, of session: UInt64, _ uid: UInt32
    ) -> Outcome {
        table.withLock { table in
            guard hasRoom(for: session, of: uid, &table) else { return .refused }
            let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
            guard own >= 0 else { return .refused }
            let outcome = Self.send(bytes, with: file, on: socket)
            if case .sent = outcome {
                table.entries[session] = Entry(uid: uid, socket: own)
            } else {
                close(own)
            }
            return outcome
        }
    }

    /// A session is over, and its socket is closed. What the client has not read stays on the way.
    func ended(_ session: UInt64) {
        table.withLock { table in
            guard let entry = table.entries[session] else { return }
            // The passage's descriptor would keep the connection open.
            shutdown(entry.socket, Int32(SHUT_RDWR))
            Self.forgetTaken(&table.entries) { key, _ in key == session }
        }
    }

    private func hasRoom(for session: UInt64, of uid: UInt32, _ table: inout Table) -> Bool {
        Self.forgetTaken(&table.entries) { key, entry in key == session || entry.uid == uid }
        if table.entries.count >= limits.countMax { lookAtAll(&table) }
        return table.entries[session] == nil && table.entries.count < limits.countMax
            && table.entries.values.count { $0.uid == uid } < limits.uidCountMax
    }

    /// Forgets what has been taken, unless all were looked at just now.
    private func lookAtAll(_ table: inout Table) {
        let now = ContinuousClock.now
        if let last = table.lookedAt, now - last < limits.lookPause { return }
        table.lookedAt = now
        Self.forgetTaken(&table.entries) { _, _ in true }
    }

    private static func forgetTaken(
        _ entries: inout [UInt64: Entry], where isWanted: (UInt64, Entry) -> Bool
    ) {
        for (session, entry) in entries where isWanted(session, entry) && !entry.isOnTheWay {
            close(entry.socket)
            entries[session] = nil
        }
    }

    private static func send(
        _ bytes: [UInt8], with file: Int32, on socket: Int32
    ) -> Outcome {
        let count = clinux_send_descriptor(socket, bytes, bytes.count, file)
        if count >= 0 { return .sent(byteCount: count) }
        switch errno {
        case EAGAIN, EINTR, ENOBUFS: return .socketFull
        case EPIPE, ECONNRESET, ENOTCONN: return .broken
        default: return .refused  // ETOOMANYREFS, among others.
        }
    }
}
