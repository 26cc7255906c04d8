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

    /// How many connections of a user wait at most, of all sockets.
    static let countMax = 32
    /// What a connection costs the loop, from the accept to the close.
    private static let price = TimeAmount.microseconds(200)

    private let shares: LoopShareTable
    private let waiting = Mutex<[UInt32: Int]>([:])
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
        guard enter(uid) else {
            refusals.add(1, ordering: .relaxed)
            return loop.makeFailedFuture(Crowded())
        }
        return loop.scheduleTask(in: pause) { self.leave(uid) }.futureResult
    }

    private func enter(_ uid: UInt32) -> Bool {
        waiting.withLock { waiting in
            guard waiting[uid, default: 0] < Self.countMax else { return false }
            waiting[uid, default: 0] += 1
            return true
        }
    }

    private func leave(_ uid: UInt32) {
        waiting.withLock { waiting in
            waiting[uid, default: 1] -= 1
            if waiting[uid] == 0 { waiting[uid] = nil }
        }
    }
}
