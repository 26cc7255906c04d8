import HearthWire

/// One loop over the daemon's state: the daemon tells each change, and an older daemon is asked.
///
/// The loop takes the newest state when it wants the next, so nothing piles up. While the daemon has nothing
/// new, neither side does anything but a ping now and then.
struct StatusLoop {
    typealias News = StatusFeed.News

    /// Where a loop has the state from.
    struct Source: Sendable {
        /// How much the loop is told.
        let scope: StatusScope
        /// Asks once, for a daemon that does not tell.
        let ask: @Sendable () async throws -> [StatusReport]
        /// Listens until the returned closure is called, or until an error.
        let listen:
            @Sendable (
                StatusScope, @escaping @Sendable (Result<Client.StatusNews, FirestoreError>) -> Void
            ) -> @Sendable () -> Void
        /// Whether the database was terminated.
        let isOver: @Sendable () -> Bool
        /// How long the loop rests between two states; `nil` for no longer than the daemon does.
        let pause: Duration?
        /// How long the daemon may take to answer until it counts as unreachable, and then to tell the state
        /// until it counts as starting.
        var patience = Duration.seconds(2)
    }

    /// How often a daemon is asked that does not tell, if the program does not say.
    private static let askPause = Duration.milliseconds(500)

    private let source: Source
    /// What the daemon tells; `nil` before the loop has begun to listen, and once the daemon must be asked.
    private var feed: (StatusFeed, AsyncStream<News>.Iterator)?
    private var mustAsk = false
    /// What makes news of the state before.
    private var last: News?
    private var restsUntil = ContinuousClock.now

    /// A loop that has not begun.
    init(_ source: Source) { self.source = source }

    /// The error while the daemon says nothing.
    static func silence(for patience: Duration) -> FirestoreError {
        FirestoreError(
            .unavailable, "The daemon has not answered for \(patience). See `hearth doctor`.")
    }

    /// Waits for a state that differs from the last state, or for the error that no state can be
    /// had; `nil` if the task was cancelled or the database was terminated.
    mutating func next() async -> News? {
        while !Task.isCancelled, !source.isOver() {
            guard (try? await Task.sleep(until: restsUntil)) != nil else { return nil }
            let news: News
            if mustAsk {
                restsUntil = .now + (source.pause ?? Self.askPause)
                guard let answer = await asked() else { return nil }
                news = answer
            } else {
                guard let told = await told() else {
                    (feed, mustAsk) = (nil, !Task.isCancelled)
                    continue
                }
                restsUntil = .now + (source.pause ?? .zero)
                news = told
            }
            let essence = news.map { $0.map(source.scope.essence) }
            guard essence != last, !source.isOver() else { continue }
            last = essence
            return news
        }
        return nil
    }

    /// What the daemon tells next; `nil` if the daemon must be asked, or the task was cancelled.
    private mutating func told() async -> News? {
        if feed == nil {
            let feed = StatusFeed(source)
            self.feed = (feed, feed.news.makeAsyncIterator())
            feed.begin()
        }
        return await feed?.1.next()
    }

    /// What the daemon answers; `nil` if the task was cancelled or the database was terminated.
    private func asked() async -> News? {
        do {
            return .success(try await answer())
        } catch is CancellationError {
            return nil
        } catch {
            return source.isOver() ? nil : .failure(FirestoreError(telling: error))
        }
    }

    private func answer() async throws -> [StatusReport] {
        do {
            return try await TimeLimit.keep(source.patience, source.ask)
        } catch is TimeLimit.Passed {
            throw Self.silence(for: source.patience)
        }
    }
}

extension FirestoreError {
    /// An error of either kind of database as Firestore tells it: the codes are the same.
    fileprivate init(telling error: any Error) {
        switch error {
        case let error as FirestoreError: self = error
        case let error as DatabaseError: self.init(error.code, error.message)
        default: self.init(.unknown, "\(error)")
        }
    }
}

extension OperatorDesk {
    /// Where a loop has the daemon's state from.
    ///
    /// - Parameter pause: How long the loop rests between two states; `nil` for no longer than the
    ///   daemon does.
    func status(_ scope: StatusScope, pause: Duration?) -> StatusLoop.Source {
        StatusLoop.Source(
            scope: scope,
            ask: {
                let answer = try await inquire(scope.inquiry)
                guard let statuses = answer.statuses else { throw unexpected(answer) }
                return statuses
            },
            listen: listen, isOver: isOver, pause: pause)
    }
}
