import HearthEngine
import HearthFirestore
import HearthModel
import HearthRealtime

/// Tells the sessions and the journal what an engine decided.
struct SessionOutlet<Effect>: EngineOutlet {
    private let key: EngineKey
    private let registry: SessionRegistry
    private let journal: Journal
    private let deliver: @Sendable ([Effect]) -> Void

    func perform(_ effects: [Effect]) { deliver(effects) }

    func resume(_ sessions: [UInt64]) { registry.resume(sessions) }

    func tell(_ news: StoreNews) { journal.note(news) }

    func statusChanged() { registry.statusBoard.changed(key) }

    func endSessions(_ error: HearthError) { registry.end(of: key, error) }
}

extension SessionOutlet<FirestoreEngine.Action> {
    /// For a Firestore engine.
    init(firestore key: EngineKey, _ registry: SessionRegistry, _ journal: Journal) {
        self.init(key: key, registry: registry, journal: journal) { actions in
            registry.deliver(
                FirestoreDelivery.bySession(actions, note: journal.note), as: Deliveries.firestore)
        }
    }
}

extension SessionOutlet<RealtimeEngine.Action> {
    /// For the engine of an instance of the Realtime Database.
    init(realtime key: EngineKey, _ registry: SessionRegistry, _ journal: Journal) {
        self.init(key: key, registry: registry, journal: journal) { actions in
            registry.deliver(
                RealtimeDelivery.bySession(actions, note: journal.note), as: Deliveries.realtime)
        }
    }
}
