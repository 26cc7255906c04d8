import HearthModel

/// Observers: closures that are told events until they are removed.
///
/// Hearth calls the closures on a thread of its own, or on `Database.callbackQueue`, one after
/// another. An observer that is slower than the changes is told less of them, but never an old
/// state as the newest.
extension DatabaseQuery {
    /// Calls `block` with each event of a kind, until the observer is removed.
    ///
    /// - Returns: The handle for `removeObserver(withHandle:)`.
    @discardableResult
    public func observe(
        _ eventType: DataEventType, with block: @escaping @Sendable (DataSnapshot) -> Void
    ) -> DatabaseHandle {
        observe(eventType, with: block, withCancel: nil)
    }

    /// Calls `block` with each event of a kind, and `cancelBlock` if the observer fails.
    ///
    /// - Parameters:
    ///   - eventType: The kind of event.
    ///   - block: Gets the child, or the whole result for values.
    ///   - cancelBlock: Gets the `DatabaseError` that ended the observer: a mistake in the query,
    ///     or a refusal of the daemon or of the backend.
    @discardableResult
    public func observe(
        _ eventType: DataEventType, with block: @escaping @Sendable (DataSnapshot) -> Void,
        withCancel cancelBlock: (@Sendable (any Error) -> Void)?
    ) -> DatabaseHandle {
        observe(
            eventType, andPreviousSiblingKeyWith: { snapshot, _ in block(snapshot) },
            withCancel: cancelBlock)
    }

    /// Calls `block` with each event of a kind, and the key of the child before in the query's
    /// order.
    @discardableResult
    public func observe(
        _ eventType: DataEventType,
        andPreviousSiblingKeyWith block: @escaping @Sendable (DataSnapshot, String?) -> Void
    ) -> DatabaseHandle {
        observe(eventType, andPreviousSiblingKeyWith: block, withCancel: nil)
    }

    /// Calls `block` with each event of a kind, and the key of the child before; calls
    /// `cancelBlock` if the observer fails.
    ///
    /// The key is `nil` for the first child, for a child that was removed, and for values.
    ///
    /// - Parameters:
    ///   - eventType: The kind of event.
    ///   - block: Gets the child, or the whole result for values, and the key of the child before.
    ///   - cancelBlock: Gets the `DatabaseError` that ended the observer; `nil` if nobody wants to
    ///     know.
    @discardableResult
    public func observe(
        _ eventType: DataEventType,
        andPreviousSiblingKeyWith block: @escaping @Sendable (DataSnapshot, String?) -> Void,
        withCancel cancelBlock: (@Sendable (any Error) -> Void)?
    ) -> DatabaseHandle {
        observe(eventType, isSingle: false, block, cancelBlock)
    }

    /// Calls `block` with the first event of a kind.
    ///
    /// What this machine knows wholly answers at once, even if the backend has something newer.
    /// What is not known waits for the backend.
    public func observeSingleEvent(
        of eventType: DataEventType, with block: @escaping @Sendable (DataSnapshot) -> Void
    ) {
        observeSingleEvent(of: eventType, with: block, withCancel: nil)
    }

    /// Calls `block` with the first event of a kind, or `cancelBlock` if there will be none.
    public func observeSingleEvent(
        of eventType: DataEventType, with block: @escaping @Sendable (DataSnapshot) -> Void,
        withCancel cancelBlock: (@Sendable (any Error) -> Void)?
    ) {
        observeSingleEvent(
            of: eventType, andPreviousSiblingKeyWith: { snapshot, _ in block(snapshot) },
            withCancel: cancelBlock)
    }

    /// Calls `block` with the first event of a kind, and the key of the child before.
    public func observeSingleEvent(
        of eventType: DataEventType,
        andPreviousSiblingKeyWith block: @escaping @Sendable (DataSnapshot, String?) -> Void
    ) {
        observeSingleEvent(of: eventType, andPreviousSiblingKeyWith: block, withCancel: nil)
    }

    /// Calls `block` with the first event of a kind, and the key of the child before; or calls
    /// `cancelBlock` if there will be no event.
    public func observeSingleEvent(
        of eventType: DataEventType,
        andPreviousSiblingKeyWith block: @escaping @Sendable (DataSnapshot, String?) -> Void,
        withCancel cancelBlock: (@Sendable (any Error) -> Void)?
    ) {
        observe(eventType, isSingle: true, block, cancelBlock)
    }

    /// Waits for the first event of a kind.
    ///
    /// - Throws: `DatabaseError` if there will be no event; `CancellationError` if the task is
    ///   cancelled.
    public func observeSingleEvent(of eventType: DataEventType) async throws -> DataSnapshot {
        try await observeSingleEventAndPreviousSiblingKey(of: eventType).0
    }

    /// Waits for the first event of a kind.
    ///
    /// - Returns: The snapshot, and the key of the child before.
    /// - Throws: As `observeSingleEvent(of:)`.
    public func observeSingleEventAndPreviousSiblingKey(
        of eventType: DataEventType
    ) async throws -> (DataSnapshot, String?) {
        for try await event in events(eventType) {
            return (event.snapshot, event.previousSiblingKey)
        }
        throw CancellationError()
    }

    /// Removes an observer. Hearth does not call its closure any more; a call under way goes on.
    ///
    /// Without an order, bounds and a limit, the observers of every query of the place are looked
    /// through; otherwise only this query's observers. Observers of places below stay.
    public func removeObserver(withHandle handle: DatabaseHandle) {
        database.observers.remove(handle, at: target)
    }

    /// Removes all observers of the place, or of this query. Observers of places below stay, and
    /// so does `keepSynced`.
    public func removeAllObservers() {
        database.observers.remove(nil, at: target)
    }

    /// Keeps the data of the query in step with the backend even if nobody observes it, or ends
    /// that.
    ///
    /// The wish ends with the program; `keepForGood` outlives it.
    public func keepSynced(_ keepSynced: Bool) {
        guard let target = try? validated() else { return }  // A mistake asks for nothing.
        precondition(!path.isInfo, "Nothing below .info can be kept in step: it is never stored")
        database.observers.keep(target, keepSynced)
    }

    @discardableResult
    private func observe(
        _ eventType: DataEventType, isSingle: Bool,
        _ block: @escaping @Sendable (DataSnapshot, String?) -> Void,
        _ cancel: (@Sendable (any Error) -> Void)?
    ) -> DatabaseHandle {
        let handle = Observers.nextHandle()
        do throws(DatabaseError) {
            let observer = ObserverTable.Observer(
                handle: handle, kind: eventType, isSingle: isSingle,
                tell: { event, view in
                    block(self.snapshot(of: event, in: view), event.previousKey?.text)
                },
                cancel: cancel)
            database.observers.add(observer, to: try validated())
        } catch {
            if let cancel { database.client.callbacks.enqueue { cancel(error) } }
        }
        return handle
    }

    /// The snapshot of an event's node.
    func snapshot(of event: RealtimeEvent, in view: IndexedNode) -> DataSnapshot {
        guard let key = event.key else { return DataSnapshot(ref, view) }
        return DataSnapshot(
            DatabaseReference(database: database, path: path.appending(key)), event.node)
    }
}
