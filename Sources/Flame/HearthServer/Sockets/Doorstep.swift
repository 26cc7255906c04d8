import NIOCore
import Synchronization

/// Lets the connections of a user who has taken too much of an event loop wait before they come in.
///
/// To come in costs the loop more than most requests do. A user who connects again and again pays
/// for that like for any work, and few of the user's connections wait at a time; of the others
/// nothing is known but the user. Root never waits.
final class Doorstep: Sendable {
    /// What becomes of a new connection.
    enum Answer: Equatable {
        /// The connection comes in at once.
        case comesIn
        /// The connection comes in at this time, and is one of those that wait until `leave`.
        case waits(NIODeadline)
        /// Too many connections of the user wait.
        case isTurnedAway
    }

    /// The connections of a user that wait.
    private struct Line {
        var count = 0
        /// When the last of them comes in.
        var lastEntry = NIODeadline.uptimeNanoseconds(0)
    }

    /// How many connections of a user wait at most, of all sockets.
    static let countMax = 32
    /// What a connection costs the loop, from the accept to the close, besides what it takes to come in.
    private static let price = TimeAmount.microseconds(200)

    private let shares: LoopShareTable
    private let lines = Mutex<[UInt32: Line]>([:])

    /// A doorstep where nobody waits.
    init(_ shares: LoopShareTable) {
        self.shares = shares
    }

    /// Whether any further connection of a user would be turned away. From any thread.
    ///
    /// Whoever is turned away before a loop has heard costs the loop nothing, and pays nothing.
    func isCrowded(_ uid: UInt32) -> Bool {
        lines.withLock { ($0[uid]?.count ?? 0) >= Self.countMax }
    }

    /// Decides on a new connection of a user. On the loop's thread.
    ///
    /// - Parameters:
    ///   - uid: The user who pays for the client.
    ///   - loop: The loop on which the connection is to be served.
    func arrive(_ uid: UInt32, on loop: any EventLoop) -> Answer {
        guard !isCrowded(uid) else { return .isTurnedAway }
        let pause = shares.charge(Self.price, to: uid, on: loop)
        guard uid != 0, pause > .zero else { return .comesIn }
        return entry(of: uid, after: pause, at: loop.now).map(Answer.waits) ?? .isTurnedAway
    }

    /// One connection of a user waits no more.
    func leave(_ uid: UInt32) {
        lines.withLock { lines in
            lines[uid]?.count -= 1
            if lines[uid]?.count == 0 { lines[uid] = nil }
        }
    }

    /// Charges a user for the time in which a connection came in. On the loop's thread.
    ///
    /// - Parameters:
    ///   - uid: The user who pays for the client.
    ///   - began: When the connection began to come in.
    ///   - hasRights: Whether the rules allow the client anything at all.
    ///   - loop: The loop of the connection.
    func charge(_ uid: UInt32, since began: LoopMoment, hasRights: Bool, on loop: any EventLoop) {
        _ = shares.charge(since: began, to: uid, hasRights: hasRights, on: loop)
    }

    /// When one more connection of a user comes in; `nil` if too many wait.
    ///
    /// A user who owes much waits as long for each connection. The connections come in one behind the
    /// other all the same: all at once they would hold up the loop for as long as they take together.
    private func entry(
        of uid: UInt32, after pause: TimeAmount, at now: NIODeadline
    ) -> NIODeadline? {
        lines.withLock { lines in
            var line = lines[uid] ?? Line()
            guard line.count < Self.countMax else { return nil }
            let gap = TimeAmount.nanoseconds(pause.nanoseconds / Int64(Self.countMax))
            line.lastEntry = max(now + pause, line.lastEntry + gap)
            line.count += 1
            lines[uid] = line
            return line.lastEntry
        }
    }
}
