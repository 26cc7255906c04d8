import Glibc
import NIOCore
import Synchronization

/// Lets the connections of a user who has taken too much of an event loop wait before they come in.
///
/// To come in costs the loop more than most requests do. A user who connects again and again pays
/// for that like for any work, and few of the user's connections wait at a time; of the others
/// nothing is known but the user. Root never waits.
final class Doorstep: Sendable {
    /// The connection is one too many on the doorstep.
    struct Crowded: Error {}
    /// The client has left without a word.
    struct Left: Error {}

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
    private let waiting = Mutex<[UInt32: Line]>([:])
    private let refusals = Atomic(0)

    /// A doorstep where nobody waits.
    init(_ shares: LoopShareTable) {
        self.shares = shares
    }

    /// How many connections were too many so far.
    var refusalCount: Int { refusals.load(ordering: .relaxed) }

    /// Succeeds when a user's new connection may come in; fails if too many wait. For the loop of
    /// the connection.
    func wait(_ uid: UInt32, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let pause = shares.charge(Self.price, to: uid, on: loop)
        guard uid != 0, pause > .zero else { return loop.makeSucceededVoidFuture() }
        guard let entry = entry(of: uid, after: pause, at: loop.now) else {
            refusals.add(1, ordering: .relaxed)
            return loop.makeFailedFuture(Crowded())
        }
        return loop.scheduleTask(deadline: entry) { self.leave(uid) }.futureResult
    }

    /// Lets a connection in that has waited, and charges the user for the time of letting it in.
    ///
    /// - Throws: `Left` if the client has left and asked nothing, or what `body` throws.
    func letIn<Result>(
        _ uid: UInt32, _ channel: any Channel, _ body: () throws -> Result
    ) throws -> Result {
        if Self.hasLeft(channel) { throw Left() }
        let began = LoopMoment.now()
        defer { _ = shares.charge(since: began, to: uid, hasRights: true, on: channel.eventLoop) }
        return try body()
    }

    /// When one more connection of a user comes in; `nil` if too many wait.
    ///
    /// A user who owes much waits as long for each connection. The connections come in one behind the
    /// other all the same: all at once they would hold up the loop for as long as they take together.
    private func entry(
        of uid: UInt32, after pause: TimeAmount, at now: NIODeadline
    ) -> NIODeadline? {
        waiting.withLock { waiting in
            var line = waiting[uid] ?? Line()
            guard line.count < Self.countMax else { return nil }
            let gap = TimeAmount.nanoseconds(pause.nanoseconds / Int64(Self.countMax))
            line.lastEntry = max(now + pause, line.lastEntry + gap)
            line.count += 1
            waiting[uid] = line
            return line.lastEntry
        }
    }

    private func leave(_ uid: UInt32) {
        waiting.withLock { waiting in
            waiting[uid]?.count -= 1
            if waiting[uid]?.count == 0 { waiting[uid] = nil }
        }
    }

    private static func hasLeft(_ channel: any Channel) -> Bool {
        let isGone = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { (socket: NIOBSDSocket.Handle) -> Bool in hasLeft(socket) }
        return isGone ?? false
    }

    /// Whether a client has ended its side of a socket and has sent nothing.
    static func hasLeft(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }
}
