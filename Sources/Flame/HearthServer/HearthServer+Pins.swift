import HearthEngine
import HearthFirestore
import HearthModel
import Logging
import Synchronization

/// What databases keep in step though nobody listens.
extension HearthServer {
    /// Reads the orders of programs to pin queries, and has databases keep all pins.
    func loadPins() async {
        let pinning = pinning
        await Self.onThread { pinning.load() }
        reviewPins()
    }

    /// Ends the pins that the access rules no longer allow, and has databases keep the others, open
    /// or not before.
    func reviewPins() {
        if mayEndPins {
            for (order, refusal) in pinning.review() {
                logger.record(
                    .pinEnded,
                    [
                        .engine: "\(EngineKey.firestore(order.database))",
                        .pin: order.pin.id.name, .clientUID: "\(order.peer.uid)",
                        .reason: refusal.error.message,
                    ])
            }
        }
        let open = engines.all.keys.compactMap(\.firestore)
        for database in pinning.databases.union(open) { pin(in: database, answering: nil) }
        reporter.setReason(pinning.complaint, for: "pins")
    }

    /// Whether the rules are known: before the client socket stands, nobody may do anything.
    private var mayEndPins: Bool {
        running.withLock { $0.configuration.access != nil || $0.standardAccess != nil }
    }

    /// An order changed what a database pins. The engine answers whoever ordered it.
    func pinsChanged(in database: DatabaseID, answering id: RequestID) {
        pin(in: database, answering: id)
        reporter.setReason(pinning.complaint, for: "pins")
    }

    private func pin(in database: DatabaseID, answering id: RequestID?) {
        let key = EngineKey.firestore(database)
        if pinning.databases.contains(database) {
            try? engines.open(key, chargedTo: pinning.uid(of: database))
        }
        guard let service = engines.engine(of: key)?.service else { return }
        pinning.tell(database) { service.pin($0, answering: id) }
    }
}

extension RunningEngine.Service {
    /// Tells the engine of a Firestore database its pins.
    ///
    /// - Parameter id: The request that the engine answers; `nil` for none.
    func pin(_ set: PinSet, answering id: RequestID?) {
        guard case .firestore(let service) = self else { return }
        _ = service.inlet.submit([.setPins(set, for: id)], from: .administration)
    }
}
