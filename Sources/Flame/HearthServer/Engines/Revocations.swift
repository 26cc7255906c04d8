import HearthEngine

/// The requests that sessions gave up while the requests waited in a mailbox.
///
/// The inputs of one source have their turns in order. So the request that a revocation gives up
/// either waits in front of the revocation or has had its turn. The host remembers a revocation
/// until the revocation's own turn.
struct Revocations {
    /// The inputs that wait and give up the same.
    private struct Mark {
        var count = 0
        /// Whether what the next of them gives up had no turn.
        var hasDropped = false
    }

    private var marks: [Revocable: Mark] = [:]
    private var sessions: Set<UInt64> = []

    /// Whether nothing is given up by an input that waits.
    var isEmpty: Bool { marks.isEmpty && sessions.isEmpty }

    /// An input that gives something up has begun to wait.
    mutating func note(_ revocation: Revocation) {
        switch revocation {
        case .one(let revocable): marks[revocable, default: Mark()].count += 1
        case .all(ofSession: let session): sessions.insert(session)
        }
    }

    /// Whether the host drops an input that has waited: a session has given the input's request up,
    /// or the input gives up a request that was itself dropped.
    mutating func drop(_ revocable: Revocable?, _ revocation: Revocation?) -> Bool {
        if let revocable {
            guard marks[revocable] != nil else { return sessions.contains(revocable.session) }
            marks[revocable]?.hasDropped = true
            return true
        }
        switch revocation {
        case .one(let revocable)?:
            guard var mark = marks.removeValue(forKey: revocable) else { return false }
            let hasDropped = mark.hasDropped
            mark.hasDropped = false
            mark.count -= 1
            if mark.count > 0 { marks[revocable] = mark }
            return hasDropped
        case .all(ofSession: let session)?:
            sessions.remove(session)
            return false
        case nil: return false
        }
    }
}
