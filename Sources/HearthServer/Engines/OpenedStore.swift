package import HearthFirestore

/// A store that has just been opened, and what must happen before anything else.
package struct OpenedStore<Store> {
    /// The store.
    package let store: Store
    /// What enters the engine right after its start: writes saved from a damaged file.
    package let inputs: [FirestoreEngine.Input]
    /// What operators must know of the opening.
    package let news: StoreNews?
    /// Called when the inputs are durable.
    package let finish: @Sendable () throws(StoreError) -> Void

    /// Hands over a store.
    package init(
        _ store: Store, inputs: [FirestoreEngine.Input] = [], news: StoreNews? = nil,
        finish: @escaping @Sendable () throws(StoreError) -> Void = { () throws(StoreError) in }
    ) {
        self.store = store
        self.inputs = inputs
        self.news = news
        self.finish = finish
    }
}
