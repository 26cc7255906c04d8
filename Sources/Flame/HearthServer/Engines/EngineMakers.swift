package import HearthFirestore
package import HearthModel
package import HearthRealtime

/// Makes and starts the engines of databases, by their kind. None of them may block.
package struct EngineMakers: Sendable {
    /// Makes the engine of a Firestore database.
    package typealias Firestore =
        @Sendable (DatabaseID, any EngineOutlet<FirestoreEngine.Action>) -> RunningEngine
    /// Makes the engine of an instance of the Realtime Database, which keeps these places in step.
    package typealias Realtime =
        @Sendable (InstanceID, [ListenTarget], any EngineOutlet<RealtimeEngine.Action>)
        -> RunningEngine

    let firestore: Firestore
    let realtime: Realtime

    /// Joins the makers.
    package init(firestore: @escaping Firestore, realtime: @escaping Realtime) {
        self.firestore = firestore
        self.realtime = realtime
    }
}
