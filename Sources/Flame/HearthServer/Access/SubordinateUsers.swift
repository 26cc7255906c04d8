import Dispatch
import Glibc
import HearthModel
import Synchronization

/// Knows whose the subordinate users of this machine are, as long as the daemon runs.
///
/// A user of the machine may act as any of the user's subordinate users, of whom there are thousands. Whatever a
/// limit gives to each Unix user would go to one person thousands of times, so the person pays for all of
/// them.
final class SubordinateUsers: Sendable {
    /// The subordinate users of this machine.
    static let ofMachine = SubordinateUsers(path: "/etc/subuid", uid: SystemNames.forRules.uid)

    /// What tells one file from another, and from a later state of the file.
    private struct Stamp: Hashable {
        let device: UInt64
        let node: UInt64
        let byteCount: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private struct State {
        var ranges = SubordinateRanges()
        var stamp: Stamp?
        var lookedAt: ContinuousClock.Instant?
    }

    /// How long a look at the file counts.
    static let lookPause = Duration.seconds(1)
    /// Bytes of the file that are read.
    private static let byteCountMax = 1 << 20

    private let path: String
    private let uid: @Sendable (String) -> UInt32?
    private let lookPause: Duration
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "hearth.subordinates")

    /// Knows nobody yet.
    ///
    /// - Parameter uid: The number of a user of a name; may take long.
    init(
        path: String, lookPause: Duration = lookPause, uid: @escaping @Sendable (String) -> UInt32?
    ) {
        self.path = path
        self.lookPause = lookPause
        self.uid = uid
    }

    /// Who pays for what a user takes: the owner of a subordinate user, else the user. Never blocks for long.
    func owner(of uid: UInt32) -> UInt32 { ranges.owner(of: uid) }

    /// Whose the subordinate users are. Never blocks for long: a changed file counts once it has been read.
    var ranges: SubordinateRanges {
        let (ranges, isDue) = state.withLock { state in
            let now = ContinuousClock.now
            let isDue = state.lookedAt.map { now - $0 >= lookPause } ?? true
            if isDue { state.lookedAt = now }
            return (state.ranges, isDue)
        }
        if isDue { readLater() }
        return ranges
    }

    /// Reads the file soon: the names of users may come from the network, and nobody waits for them.
    func readLater() {
        queue.async { self.read() }
    }

    /// Reads the file, unless the file is as it was. Blocks on the disk and on the names of users.
    func read() {
        let found = stamp()
        guard state.withLock({ $0.stamp != found }) else { return }
        let ranges = SubordinateRanges(text() ?? "", uid: uid)
        state.withLock { state in
            state.ranges = ranges
            state.stamp = found
        }
    }

    private func stamp() -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            device: UInt64(status.st_dev), node: UInt64(status.st_ino),
            byteCount: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    private func text() -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
