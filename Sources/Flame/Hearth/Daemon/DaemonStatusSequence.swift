import HearthWire

/// The state of every open database of the daemon: the present one first, then one whenever anything but
/// the time has changed.
///
/// An element is what `daemonDatabases()` returns, or the error while the daemon does not answer. The list is
/// empty while the daemon answers and opens the store of this database, which takes long after some updates.
/// As with `states`, the daemon tells each change, at most ten times a second, and a slow loop gets the newest.
public struct DaemonStatusSequence: AsyncSequence, Sendable {
    /// Where the states come from.
    var source: StatusLoop.Source

    /// Begins with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(loop: StatusLoop(source)) }

    /// One loop over the states.
    public struct Iterator: AsyncIteratorProtocol {
        private var loop: StatusLoop

        fileprivate init(loop: StatusLoop) { self.loop = loop }

        /// Waits for a state that differs from the one before; `nil` at the end.
        public mutating func next() async -> Result<[DaemonStatus], FirestoreError>? {
            await loop.next()?.map { $0.map(DaemonStatus.init) }
        }
    }
}

extension DaemonDatabase {
    /// The state of every open database of the daemon, whenever that changes; see `daemonDatabases()`.
    ///
    /// - Parameter pause: How long the loop waits from one state to the next at least; `nil` for no longer
    ///   than the daemon does.
    public func daemonChanges(every pause: Duration? = nil) -> DaemonStatusSequence {
        DaemonStatusSequence(source: operatorDesk.status(.allDatabases, pause: pause))
    }
}
