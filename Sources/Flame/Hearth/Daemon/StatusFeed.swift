import HearthWire
import Synchronization

/// The daemon's state as the daemon tells it, for one loop.
///
///     waiting --connected--> expecting --told--> told --interrupted--> waiting
///        |                       \--patience--> starting --told--> told
///        |--patience--> silent --connected--> expecting
///        \--refused--> refused --patience--> waiting
///
/// At most the newest state waits for the loop. The client listens again by itself after a lost connection,
/// and gives up the connection of a daemon that stands still (`DaemonPulse`).
final class StatusFeed: Sendable {
    /// The state, or why there is none. The list is empty if the daemon answers and has not told the state
    /// yet.
    typealias News = Result<[StatusReport], FirestoreError>

    /// The states; they end if the daemon does not know how to tell them.
    let news: AsyncStream<News>

    private struct State {
        /// Whether the daemon is to answer or to tell its state, and has not.
        var isWaiting = false
        /// What is done when the daemon has had its time.
        var patience: Task<Void, Never>?
        /// Ends the listener.
        var end: (@Sendable () -> Void)?
    }

    private let source: StatusLoop.Source
    private let teller: AsyncStream<News>.Continuation
    private let state = Mutex(State())

    /// Listens to nothing until `begin`.
    init(_ source: StatusLoop.Source) {
        self.source = source
        (news, teller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        let last = state.withLock { (patience: $0.patience, end: $0.end) }
        last.patience?.cancel()
        last.end?()
        teller.finish()
    }

    /// Begins to listen.
    func begin() {
        guard !source.isOver() else { return teller.finish() }
        wait(elseTelling: silence)
        let end = source.listen(source.scope) { [weak self] news in self?.heard(news) }
        state.withLock { $0.end = end }
    }

    private func heard(_ news: Result<Client.StatusNews, FirestoreError>) {
        switch news {
        case .success(.report(let report)):
            if let statuses = report.statuses { tell(.success(statuses)) }
        case .success(.connected): wait(elseTelling: .success([]))
        case .success(.interrupted): wait(elseTelling: silence)
        case .failure(let error) where error.code == .unimplemented:
            teller.finish()  // An older daemon, which must be asked.
        case .failure(let error):
            tell(.failure(error))
            afterPatience { $0.begin() }
        }
    }

    /// Tells the loop; what the loop was not told yet is too old.
    private func tell(_ news: News) {
        state.withLock { state in
            state.isWaiting = false
            teller.yield(news)
        }
        afterPatience(nil)
    }

    private var silence: News { .failure(StatusLoop.silence(for: source.patience)) }

    /// Waits for the daemon, and tells the loop if the wait is long.
    private func wait(elseTelling news: News) {
        state.withLock { $0.isWaiting = true }
        afterPatience { feed in
            feed.state.withLock { state in
                guard state.isWaiting else { return }  // The daemon has spoken meanwhile.
                feed.teller.yield(news)
            }
        }
    }

    /// Does something later, in place of the earlier plan.
    private func afterPatience(_ body: (@Sendable (StatusFeed) -> Void)?) {
        let task = body.map { body in
            Task { [weak self, patience = source.patience] in
                guard (try? await Task.sleep(for: patience)) != nil, let self else { return }
                body(self)
            }
        }
        let last = state.withLock { state in
            defer { state.patience = task }
            return state.patience
        }
        last?.cancel()
    }
}
