/// Whether the daemon still answers, for a program that listens to the daemon's state.
///
///     unwatched --watched--> hearing --quiet--> asked --heard--> hearing
///                                                  \--no answer--> gone
///
/// The daemon says nothing while nothing changes, and a daemon that stands still keeps its sockets open. So
/// after some silence the client pings. Any bytes count as the answer. Without a watcher the client asks
/// nothing.
struct DaemonPulse: Sendable {
    /// What must be done.
    enum Finding: Equatable, Sendable {
        /// The daemon has said nothing for a while; the client pings.
        case ask
        /// The daemon has not answered the ping; the connection is of no use.
        case gone
    }

    /// How long the daemon may say nothing until the client pings. A session that watches an idle daemon
    /// costs six pings a minute.
    static let quietTimeMax = Duration.seconds(10)
    /// How long the daemon may take to answer a ping. The event loops of a daemon never wait for the disk, so
    /// even a busy daemon answers far sooner.
    static let answerTimeMax = Duration.seconds(5)
    /// How long the daemon may take if changes of the client wait to be accepted. A daemon whose disk stalls
    /// reads no more of a client that has sent much, and would be sent all of it again.
    static let busyAnswerTimeMax = Duration.seconds(60)

    private var watcherCount = 0
    /// When the daemon was heard last, which a greeting is too.
    private var heardAt = Duration.zero
    /// When the client pinged; `nil` if the daemon was heard since.
    private var askedAt: Duration?

    /// Whether anybody wants to know.
    var isWatched: Bool { watcherCount > 0 }

    /// When `timePassed` must be called at the latest; `nil` if nobody wants to know.
    ///
    /// - Parameter hasUnaccepted: Whether changes of the client wait to be accepted.
    func deadline(hasUnaccepted: Bool) -> Duration? {
        guard isWatched else { return nil }
        let answerTimeMax = hasUnaccepted ? Self.busyAnswerTimeMax : Self.answerTimeMax
        return askedAt.map { $0 + answerTimeMax } ?? heardAt + Self.quietTimeMax
    }

    /// One more wants to know. What was heard before the first was not noted.
    mutating func watched(at now: Duration) {
        if !isWatched { heard(at: now) }
        watcherCount += 1
    }

    /// A watcher has gone.
    mutating func unwatched() {
        precondition(isWatched, "A watcher went that had not come")
        watcherCount -= 1
    }

    /// Bytes have come.
    mutating func heard(at now: Duration) { (heardAt, askedAt) = (now, nil) }

    /// Time has passed, and all that has come was read.
    ///
    /// - Parameter hasUnaccepted: Whether changes of the client wait to be accepted.
    mutating func timePassed(now: Duration, hasUnaccepted: Bool) -> Finding? {
        guard let deadline = deadline(hasUnaccepted: hasUnaccepted), deadline <= now else {
            return nil
        }
        if askedAt != nil { return .gone }
        askedAt = now
        return .ask
    }
}
