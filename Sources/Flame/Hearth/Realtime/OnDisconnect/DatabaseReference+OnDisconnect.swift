import HearthModel
import HearthWire

/// Orders for the time when this program is gone.
///
///     let online = ref.child("rooms/hall/online")
///     try await online.onDisconnectSetValue(false)
///     try await online.setValue(true)
///
/// The backend keeps an order and carries it out when the machine's connection ends; the daemon
/// carries it out when the program ends, however it ends. The functions return when the backend has
/// the order, which without a network may take long; with `scope: .program`, when the daemon has it.
/// A later order takes the place of earlier ones of its scope there and below.
///
/// After a restart of the daemon the library gives the program's orders again by itself. An order
/// that a lost connection has carried out is gone, as with other libraries: observe
/// `.info/connected` and give it again, or use `showPresence`.
///
/// All functions throw `DatabaseError` as `setValue` does.
extension DatabaseReference {
    /// Writes a value here when the program or its machine is gone.
    ///
    /// - Throws: `DatabaseError` as `setValue`.
    @discardableResult
    public nonisolated(nonsending) func onDisconnectSetValue(
        _ value: Any?, scope: DisconnectScope = .programOrMachine
    ) async throws -> DatabaseReference {
        try await order(.write(try setting(value)), scope)
    }

    /// Writes a value with a priority here when the program or its machine is gone.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` deletes what is here.
    ///   - priority: The priority: a number, a text, or `nil` for none.
    ///   - scope: Whose end has the value written.
    /// - Throws: `DatabaseError` as `setValue`.
    @discardableResult
    public nonisolated(nonsending) func onDisconnectSetValue(
        _ value: Any?, andPriority priority: Any?, scope: DisconnectScope = .programOrMachine
    ) async throws -> DatabaseReference {
        try await order(.write(try setting(value, priority: priority)), scope)
    }

    /// Removes what is here when the program or its machine is gone.
    ///
    /// - Throws: `DatabaseError`: `unavailable` if no daemon answers, or the backend's error.
    @discardableResult
    public nonisolated(nonsending) func onDisconnectRemoveValue(
        scope: DisconnectScope = .programOrMachine
    ) async throws -> DatabaseReference {
        try await order(.write(try setting(nil)), scope)
    }

    /// Updates places below this place when the program or its machine is gone.
    ///
    /// - Throws: `DatabaseError` as `updateChildValues`.
    @discardableResult
    public nonisolated(nonsending) func onDisconnectUpdateChildValues(
        _ values: [AnyHashable: Any], scope: DisconnectScope = .programOrMachine
    ) async throws -> DatabaseReference {
        try await order(try updating(values).map { .write($0) }, scope)
    }

    /// Forgets this program's orders for this place and the places below, of every scope.
    ///
    /// - Throws: `DatabaseError`: `unavailable` if no daemon answers, or the backend's error.
    @discardableResult
    public nonisolated(nonsending) func cancelDisconnectOperations() async throws
        -> DatabaseReference
    {
        try await order(.cancel(path), .programOrMachine)
    }

    /// Gives an order, and waits until it is taken.
    private nonisolated(nonsending) func order(
        _ order: OnDisconnectOrder?, _ scope: DisconnectScope
    ) async throws -> DatabaseReference {
        if let order { _ = try await database.request(.onDisconnect(order, scope.wire)) }
        return self
    }

    /// Gives an order, and calls `completion`, if there is one, when it is taken.
    func order(
        _ completion: Completion?, _ scope: DisconnectScope,
        _ order: () throws(DatabaseError) -> OnDisconnectOrder?
    ) {
        let client = database.client
        let callbacks = client.callbacks
        let tell: @Sendable ((any Error)?) -> Void = { error in
            if let error { ClientLog.note("an onDisconnect was refused: \(error)") }
            if let completion { callbacks.enqueue { completion(error, self) } }
        }
        do throws(DatabaseError) {
            guard let order = try order() else { return tell(nil) }
            client.request(
                client.nextOperation(), .realtime(.onDisconnect(order, scope.wire))
            ) { result in
                switch result {
                case .success: tell(nil)
                case .failure(let error): tell(DatabaseError.translated(error))
                }
            }
        } catch {
            tell(error)
        }
    }
}

/// The same with a closure, which Hearth calls on a thread of its own when the order is taken.
extension DatabaseReference {
    /// Writes a value here when the program or its machine is gone.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` deletes what is here.
    ///   - scope: Whose end has the value written.
    ///   - block: Gets the `DatabaseError` of the order, or `nil` when the order is taken.
    public func onDisconnectSetValue(
        _ value: Any?, scope: DisconnectScope = .programOrMachine,
        withCompletionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        order(block, scope) { () throws(DatabaseError) in .write(try setting(value)) }
    }

    /// Writes a value with a priority here when the program or its machine is gone.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` deletes what is here.
    ///   - priority: The priority: a number, a text, or `nil` for none.
    ///   - scope: Whose end has the value written.
    ///   - block: Gets the `DatabaseError` of the order, or `nil` when the order is taken.
    public func onDisconnectSetValue(
        _ value: Any?, andPriority priority: Any?, scope: DisconnectScope = .programOrMachine,
        withCompletionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        order(block, scope) { () throws(DatabaseError) in
            .write(try setting(value, priority: priority))
        }
    }

    /// Removes what is here when the program or its machine is gone.
    public func onDisconnectRemoveValue(
        scope: DisconnectScope = .programOrMachine,
        completionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        order(block, scope) { () throws(DatabaseError) in .write(try setting(nil)) }
    }

    /// Updates places below this place when the program or its machine is gone.
    ///
    /// - Parameters:
    ///   - values: The values by their paths below this place; `nil` deletes what is at a path.
    ///   - scope: Whose end has the values written.
    ///   - block: Gets the `DatabaseError` of the order, or `nil` when the order is taken.
    public func onDisconnectUpdateChildValues(
        _ values: [AnyHashable: Any], scope: DisconnectScope = .programOrMachine,
        withCompletionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        order(block, scope) { () throws(DatabaseError) in
            try updating(values).map { .write($0) }
        }
    }

    /// Forgets this program's orders for this place and the places below, of every scope.
    public func cancelDisconnectOperations(
        completionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        order(block, .programOrMachine) { () throws(DatabaseError) in .cancel(path) }
    }
}
