import HearthEngine
import HearthFirestore
import HearthModel

/// Tells the sessions and the journal what an engine decided.
struct SessionOutlet: EngineOutlet {
    let key: EngineKey
    let registry: SessionRegistry
    let journal: Journal

    func perform(_ actions: [FirestoreEngine.Action]) {
        registry.deliver(Delivery.bySession(actions, note: journal.note))
    }

    func resume(_ sessions: [UInt64]) { registry.resume(sessions) }

    func tell(_ news: StoreNews) { journal.note(news) }

    func endSessions(_ error: HearthError) { registry.end(of: key, error) }
}
