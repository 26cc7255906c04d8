/// What an engine has for one session, by the kind of the engine.
package enum Deliveries: Sendable {
    /// A Firestore engine has this.
    case firestore([FirestoreDelivery])
    /// The engine of an instance of the Realtime Database has this.
    case realtime([RealtimeDelivery])
}
