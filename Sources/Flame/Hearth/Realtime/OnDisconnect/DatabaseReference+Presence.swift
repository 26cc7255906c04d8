import HearthModel
import Synchronization

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
        let presence = Presence(at: self, present, afterwards: absent)
        presence.begin()
        return presence
    }
}

/// A value that is shown while the program is there.
private final class Presence: ListenerRegistration {
    private enum State {
        case isBeginning
        case isShown(DatabaseHandle)
        case hasEnded
    }

    private let ref: DatabaseReference
    private let connected: DatabaseReference
    private let present: RealtimeChange
    private let absent: RealtimeChange
    /// Held while the value is shown or taken away, so that an observer's call that is under way shows
    /// nothing after the end.
    private let state = Mutex(State.isBeginning)

    init(
        at ref: DatabaseReference, _ present: RealtimeChange, afterwards absent: RealtimeChange
    ) {
        self.ref = ref
        self.present = present
        self.absent = absent
        connected = ref.database.reference(withPath: ".info/connected")
    }

    /// Shows the value with each connection from now on.
    func begin() {
        state.withLock { state in
            let handle = connected.observe(.value) { [self] snapshot in
                if snapshot.value as? Bool == true { show() }
            }
            state = .isShown(handle)
        }
    }

    private func show() {
        state.withLock { state in
            guard case .isShown = state else { return }
            ref.order(nil, .programOrMachine) { () throws(DatabaseError) in .write(absent) }
            ref.write(nil) { () throws(DatabaseError) in present }
        }
    }

    func remove() {
        let handle = state.withLock { state -> DatabaseHandle? in
            guard case .isShown(let handle) = state else { return nil }
            state = .hasEnded
            ref.order(nil, .programOrMachine) { () throws(DatabaseError) in .cancel(ref.path) }
            ref.write(nil) { () throws(DatabaseError) in absent }
            return handle
        }
        // Outside the lock, since the last reference to this presence may go with the observer.
        if let handle { connected.removeObserver(withHandle: handle) }
    }
}
