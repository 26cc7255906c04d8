package import HearthFirestore
package import HearthRealtime

/// What a session puts in the mailbox of its engine, by the kind of the engine.
package enum SessionInput: Hashable, Sendable {
    /// For a Firestore engine.
    case firestore(FirestoreEngine.Input)
    /// For the engine of an instance of the Realtime Database.
    case realtime(RealtimeEngine.Input)
}
