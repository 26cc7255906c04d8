import HearthModel

/// Writing, and waiting for the answer.
///
///     try await ref.setValue(["name": "Hall"])                      // returns when committed
///     let receipt = try await ref.setValue(["name": "Hall"], until: .accepted)
///     try await receipt.committed()                                 // now, or later, or never
///
/// A write gets two answers. `accepted`: the write is durable in the daemon's queue, shows in every
/// program of the machine, and reaches the backend even if this program ends. `committed`: the
/// backend has the write. Without a network, `committed` comes only when the network is back.
///
/// A value is a `String`, a `Bool`, a number, an array or a dictionary with strings as keys, a
/// `ServerValue`, or `nil`, which removes. All functions throw `DatabaseError`: `invalidArgument`
/// for what the Realtime Database cannot hold, `unavailable` if no daemon answers, or the backend's
/// error.
extension DatabaseReference {
    /// Replaces all at this place, its priority too.
    ///
    /// - Throws: `DatabaseError`: `invalidArgument` for a value that cannot stand here,
    ///   `unavailable` if no daemon answers, or the backend's error.
    @discardableResult
    public nonisolated(nonsending) func setValue(
        _ value: Any?
    ) async throws -> DatabaseReference {
        try await setValue(value, until: .committed)
        return self
    }

    /// Replaces all at this place, and gives it a priority: a string, a number, or `nil` for none.
    ///
    /// - Throws: `DatabaseError` as `setValue`; `invalidArgument` also for another priority.
    @discardableResult
    public nonisolated(nonsending) func setValue(
        _ value: Any?, andPriority priority: Any?
    ) async throws -> DatabaseReference {
        try await setValue(value, andPriority: priority, until: .committed)
        return self
    }

    /// Removes all at this place.
    ///
    /// - Throws: `DatabaseError`: `invalidArgument` for a place that nobody can write,
    ///   `unavailable` if no daemon answers, or the backend's error.
    @discardableResult
    public nonisolated(nonsending) func removeValue() async throws -> DatabaseReference {
        try await removeValue(until: .committed)
        return self
    }

    /// Gives what is at this place a priority: a string, a number, or `nil` for none. What is not
    /// there gets none.
    ///
    /// - Throws: `DatabaseError`: `invalidArgument` for another priority, `unavailable` if no
    ///   daemon answers, or the backend's error.
    @discardableResult
    public nonisolated(nonsending) func setPriority(
        _ priority: Any?
    ) async throws -> DatabaseReference {
        try await setPriority(priority, until: .committed)
        return self
    }

    /// Replaces the nodes at several places below this place, all or none.
    ///
    /// - Parameter values: Values under paths. No path may lead to or below another. An empty
    ///   dictionary changes nothing.
    /// - Throws: `DatabaseError`: `invalidArgument` for such paths and for values that cannot stand
    ///   there, `unavailable` if no daemon answers, or the backend's error.
    @discardableResult
    public nonisolated(nonsending) func updateChildValues(
        _ values: [AnyHashable: Any]
    ) async throws -> DatabaseReference {
        try await updateChildValues(values, until: .committed)
        return self
    }
}

/// The same with a receipt, and a choice how long to wait.
extension DatabaseReference {
    /// Replaces all at this place, and waits until the write has come as far as `stage`.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` deletes what is here.
    ///   - priority: The priority: a number, a text, or `nil` for none.
    ///   - stage: How long to wait.
    /// - Throws: `DatabaseError`: `invalidArgument` for a value or a priority that cannot stand
    ///   here, `unavailable` if no daemon answers, or the backend's error, if `stage` is
    ///   `committed`.
    @discardableResult
    public nonisolated(nonsending) func setValue(
        _ value: Any?, andPriority priority: Any? = nil, until stage: WriteStage
    ) async throws -> DatabaseReceipt {
        try await write(try setting(value, priority: priority), until: stage)
    }

    /// Removes all at this place, and waits until the write has come as far as `stage`.
    ///
    /// - Throws: `DatabaseError`: `invalidArgument` for a place that nobody can write,
    ///   `unavailable` if no daemon answers, or the backend's error, if `stage` is `committed`.
    @discardableResult
    public nonisolated(nonsending) func removeValue(
        until stage: WriteStage
    ) async throws -> DatabaseReceipt {
        try await write(try setting(nil), until: stage)
    }

    /// Gives what is here a priority, and waits until the write has come as far as `stage`.
    ///
    /// - Throws: `DatabaseError`: `invalidArgument` for another priority than a string, a number or
    ///   `nil`, `unavailable` if no daemon answers, or the backend's error, if `stage` is
    ///   `committed`.
    @discardableResult
    public nonisolated(nonsending) func setPriority(
        _ priority: Any?, until stage: WriteStage
    ) async throws -> DatabaseReceipt {
        try await write(try settingPriority(priority), until: stage)
    }

    /// Replaces what is at several places, and waits until the write has come as far as `stage`.
    ///
    /// - Throws: `DatabaseError`: `invalidArgument` for paths that lead to or below one another and
    ///   for values that cannot stand there, `unavailable` if no daemon answers, or the backend's
    ///   error, if `stage` is `committed`.
    @discardableResult
    public nonisolated(nonsending) func updateChildValues(
        _ values: [AnyHashable: Any], until stage: WriteStage
    ) async throws -> DatabaseReceipt {
        try await write(try updating(values), until: stage)
    }
}

/// The same with a closure, which Hearth calls on a thread of its own when the backend has
/// answered. For calls without a closure, see `DatabaseReference+WithoutWaiting`.
extension DatabaseReference {
    /// Replaces all at this place, its priority too.
    public func setValue(
        _ value: Any?,
        withCompletionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        write(block) { () throws(DatabaseError) in try setting(value) }
    }

    /// Replaces all at this place, and gives it a priority.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` deletes what is here.
    ///   - priority: The priority: a number, a text, or `nil` for none.
    ///   - block: Gets the `DatabaseError` of the write; `nil` when the backend has taken the
    ///     write.
    public func setValue(
        _ value: Any?, andPriority priority: Any?,
        withCompletionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        write(block) { () throws(DatabaseError) in try setting(value, priority: priority) }
    }

    /// Removes all at this place.
    public func removeValue(
        completionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        write(block) { () throws(DatabaseError) in try setting(nil) }
    }

    /// Gives what is at this place a priority.
    public func setPriority(
        _ priority: Any?,
        withCompletionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        write(block) { () throws(DatabaseError) in try settingPriority(priority) }
    }

    /// Replaces the nodes at several places below this place, all or none.
    public func updateChildValues(
        _ values: [AnyHashable: Any],
        withCompletionBlock block: @escaping @Sendable ((any Error)?, DatabaseReference) -> Void
    ) {
        write(block) { () throws(DatabaseError) in try updating(values) }
    }
}
