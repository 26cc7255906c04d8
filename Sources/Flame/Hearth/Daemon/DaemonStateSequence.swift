import HearthWire

/// The states of a database: the present one first, then one for each change.
///
///     for await state in firestore.states { ... }
///
/// The daemon tells each change, at most ten times a second. While nothing changes, the library
/// sends a ping every 10 s. The library so notices a daemon that stands still within 20 s, or
/// within a minute more while writes of the program wait to be accepted. A slow loop gets the
/// newest state and skips the states before. Without a loop the daemon tells nothing. The sequence
/// goes on over restarts of the daemon, and ends when the task is cancelled or the database is
/// terminated.
public struct DaemonStateSequence: AsyncSequence, Sendable {
    /// Where the states come from.
    var source: StatusLoop.Source

    /// Begins with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(loop: StatusLoop(source)) }

    /// One loop over the states.
    public struct Iterator: AsyncIteratorProtocol {
        private var loop: StatusLoop
        private var last: DaemonState?

        fileprivate init(loop: StatusLoop) { self.loop = loop }

        /// Waits for a state that differs from the one before; `nil` at the end.
        public mutating func next() async -> DaemonState? {
            while let news = await loop.next() {
                let state = state(news)
                guard state != last else { continue }
                last = state
                return state
            }
            return nil
        }

        private func state(_ news: StatusLoop.News) -> DaemonState {
            switch news {
            case .success(let reports):
                reports.first.map { DaemonState(DaemonStatus($0), after: last) }
                    ?? DaemonState(untold: nil, after: last)
            case .failure(let error): DaemonState(untold: error, after: last)
            }
        }
    }
}

extension DaemonDatabase {
    /// The states of this database: whether the backend is there, what waits, what was rejected.
    ///
    /// A daemon of an earlier version does not tell changes; it is asked twice a second while a loop
    /// waits for the next state.
    public var states: DaemonStateSequence { states(pausing: nil) }

    /// The states of this database, with a rest between two states.
    ///
    /// - Parameter pause: How long the loop waits from one state to the next at least.
    public func states(every pause: Duration) -> DaemonStateSequence { states(pausing: pause) }

    private func states(pausing pause: Duration?) -> DaemonStateSequence {
        DaemonStateSequence(source: operatorDesk.status(.database, pause: pause))
    }
}
