import NIOCore
import Synchronization

/// The names of the daemons that use this daemon as the backend of one database.
///
/// If this daemon's backend led back to a caller, each of the two would wait for the other, and a
/// write would go round for ever. The engine cannot tell for whom the engine works, so every call
/// of the engine names all callers, and a daemon refuses a call that names the daemon itself.
///
///     here --left--> gone --60 s--> forgotten
///       ^-------------/
final class CallerNames: Sendable {
    fileprivate struct Caller {
        /// The connections of the caller.
        var connectionCount: Int
        /// When the caller's last connection ended.
        var leftAt: NIODeadline
    }

    /// Names that are known at a time: so many as a call may have come through besides ours.
    static let countMax = 7
    /// How long a name counts when its daemon is gone, which may be about to come back.
    static let afterglow = TimeAmount.seconds(60)

    private let callers = Mutex<[String: Caller]>([:])

    /// Connections of these daemons, or of daemons in front of them, have come.
    ///
    /// - Returns: The noted names; for each, `left` must follow.
    func entered(_ names: [String], at now: NIODeadline = .now()) -> [String] {
        callers.withLock { callers in
            callers = callers.filter { $0.value.isKnown(at: now) }
            return names.filter { name in
                guard callers[name] != nil || callers.count < Self.countMax else { return false }
                callers[name, default: Caller(connectionCount: 0, leftAt: now)].connectionCount += 1
                return true
            }
        }
    }

    /// The connections of these daemons have ended.
    func left(_ names: [String], at now: NIODeadline = .now()) {
        callers.withLock { callers in
            for name in names {
                let count = (callers[name]?.connectionCount ?? 0) - 1
                precondition(count >= 0, "\(name) has left more often than it came")
                callers[name] = Caller(connectionCount: count, leftAt: now)
            }
        }
    }

    /// The names that count, in a fixed order.
    func known(at now: NIODeadline = .now()) -> [String] {
        callers.withLock { callers in
            callers.filter { $0.value.isKnown(at: now) }.keys.sorted()
        }
    }
}

extension CallerNames.Caller {
    fileprivate func isKnown(at now: NIODeadline) -> Bool {
        connectionCount > 0 || leftAt + CallerNames.afterglow > now
    }
}
