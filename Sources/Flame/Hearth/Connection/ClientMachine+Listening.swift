import HearthModel
import HearthWire

extension ClientMachine {
    /// A listener begins.
    mutating func listen(
        _ id: OperationID, to query: HearthModel.Query, _ options: ListenOptions,
        at now: Duration
    ) -> [Action] {
        let view = ListenerView(
            order: query.order, includeMetadataChanges: options.includeMetadataChanges)
        listeners[query, default: []].append(id)
        return begin(id, .listen(query, options, view), at: now)
    }

    /// A listener for sync begins.
    mutating func listenToSync(_ id: OperationID, at now: Duration) -> [Action] {
        begin(id, .sync, at: now)
    }

    /// A listener is over.
    mutating func forgetListener(_ id: OperationID, of query: HearthModel.Query) {
        listeners[query]?.removeAll { $0 == id }
        if listeners[query]?.isEmpty ?? false { listeners[query] = nil }
    }

    /// The state of a listener of the program that a read of the cache would find, if nothing has changed
    /// there since `change`; `nil` if only the daemon can say.
    ///
    /// While a write of the program is not accepted, only the daemon knows what the program should
    /// read.
    func cachedState(of query: HearthModel.Query, at change: UInt64) -> ListenerView? {
        guard changeCount == 0 else { return nil }
        for id in listeners[query] ?? [] {
            guard case .listen(_, _, let view)? = entries[id]?.operation,
                view.changeNumber == change
            else { continue }
            return view
        }
        return nil
    }
}
