import HearthModel

/// Presence, which outlasts lost connections.
extension DatabaseReference {
    /// Shows one value here while this program is there, and another afterwards.
    ///
    /// Whenever the machine's connection to the backend comes up, and after each restart of the
    /// daemon, the library orders `absent` for the end of the program and writes `present`.
    ///
    /// - Parameters:
    ///   - present: The value while the program is there.
    ///   - absent: The value afterwards; `nil` for nothing.
    /// - Returns: The registration, whose `remove()` writes `absent` and ends the presence. The
    ///   presence goes on if the registration is thrown away.
    /// - Throws: `DatabaseError` `invalidArgument` for values that cannot stand here.
    @discardableResult
    public func showPresence(
        _ present: Any?, afterwards absent: Any? = nil
    ) throws -> any ListenerRegistration {
        let (present, absent) = (try setting(present), try setting(absent))
        let connected = database.reference(withPath: ".info/connected")
        let handle = connected.observe(.value) { snapshot in
            guard snapshot.value as? Bool == true else { return }
            self.order(nil, .programOrMachine) { () throws(DatabaseError) in .write(absent) }
            self.write(nil) { () throws(DatabaseError) in present }
        }
        return Presence(ref: self, connected: connected, handle: handle, absent: absent)
    }
}

/// A value that is shown while the program is there.
private struct Presence: ListenerRegistration {
    let ref: DatabaseReference
    let connected: DatabaseReference
    let handle: DatabaseHandle
    let absent: RealtimeChange

    func remove() {
        connected.removeObserver(withHandle: handle)
        ref.order(nil, .programOrMachine) { () throws(DatabaseError) in .cancel(ref.path) }
        ref.write(nil) { () throws(DatabaseError) in absent }
    }
}
