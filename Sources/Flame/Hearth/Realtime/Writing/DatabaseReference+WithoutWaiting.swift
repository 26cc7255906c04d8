// Calls without waiting, as in `Firestore+WithoutWaiting`, which explains the attributes.

import HearthModel

/// Writes that report no error.
extension DatabaseReference {
    /// Replaces all at this place, its priority too, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setValue(_ value: Any?) {
        write(nil) { () throws(DatabaseError) in try setting(value) }
    }

    /// Replaces all at this place, gives it a priority, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setValue(_ value: Any?, andPriority priority: Any?) {
        write(nil) { () throws(DatabaseError) in try setting(value, priority: priority) }
    }

    /// Removes all at this place, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func removeValue() {
        write(nil) { () throws(DatabaseError) in try setting(nil) }
    }

    /// Gives what is at this place a priority, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setPriority(_ priority: Any?) {
        write(nil) { () throws(DatabaseError) in try settingPriority(priority) }
    }

    /// Replaces what is at several places, all or none, and reports no error.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func updateChildValues(_ values: [AnyHashable: Any]) {
        write(nil) { () throws(DatabaseError) in try updating(values) }
    }

    /// Makes a value of a type this place's value, and reports no error of the daemon or the
    /// backend.
    ///
    /// - Throws: The errors of `Database.Encoder.encode`.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: `until: .committed` does")
    public func setValue(
        from value: some Encodable, encoder: Database.Encoder = Database.Encoder()
    ) throws {
        let encoded = try encoder.encode(value)
        write(nil) { () throws(DatabaseError) in try setting(encoded) }
    }

    /// Runs a transaction, and does not report what became of it.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func runTransactionBlock(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult
    ) {
        run(block, showsEstimate: true) { _ in }
    }
}

/// Orders for the end of the program that report no error.
extension DatabaseReference {
    /// Writes a value here when the program or its machine is gone.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func onDisconnectSetValue(
        _ value: Any?, scope: DisconnectScope = .programOrMachine
    ) {
        order(nil, scope) { () throws(DatabaseError) in .write(try setting(value)) }
    }

    /// Writes a value with a priority here when the program or its machine is gone.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` deletes what is here.
    ///   - priority: The priority: a number, a text, or `nil` for none.
    ///   - scope: Whose end has the value written.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func onDisconnectSetValue(
        _ value: Any?, andPriority priority: Any?, scope: DisconnectScope = .programOrMachine
    ) {
        order(nil, scope) { () throws(DatabaseError) in
            .write(try setting(value, priority: priority))
        }
    }

    /// Removes what is here when the program or its machine is gone.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func onDisconnectRemoveValue(scope: DisconnectScope = .programOrMachine) {
        order(nil, scope) { () throws(DatabaseError) in .write(try setting(nil)) }
    }

    /// Updates places below this place when the program or its machine is gone.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func onDisconnectUpdateChildValues(
        _ values: [AnyHashable: Any], scope: DisconnectScope = .programOrMachine
    ) {
        order(nil, scope) { () throws(DatabaseError) in try updating(values).map { .write($0) } }
    }

    /// Forgets what was ordered for this place and the places below.
    @_disfavoredOverload
    @available(*, noasync, message: "it does not wait: a call from an async function does")
    public func cancelDisconnectOperations() {
        order(nil, .programOrMachine) { () throws(DatabaseError) in .cancel(path) }
    }
}
