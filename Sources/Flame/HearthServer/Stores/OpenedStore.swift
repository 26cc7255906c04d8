package import HearthEngine

/// A store that has just been opened.
package struct OpenedStore<Store> {
    /// The store.
    package let store: Store
    /// What operators must know of the opening.
    package let news: [StoreNews]
    /// What the store has lost, now or at an earlier opening, and nobody has taken note of.
    package let losses: [StoreLoss]
    private let finishing: @Sendable () throws(StoreError) -> Void

    /// Hands over a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - news: What operators must know of the opening.
    ///   - losses: What the store has lost, now or at an earlier opening.
    ///   - finish: What is left to do when the engine has started on the store.
    package init(
        _ store: Store, news: [StoreNews] = [], losses: [StoreLoss] = [],
        finish: @escaping @Sendable () throws(StoreError) -> Void = { () throws(StoreError) in }
    ) {
        self.store = store
        self.news = news
        self.losses = losses
        finishing = finish
    }

    /// Ends the opening, once the engine has started on the store.
    ///
    /// An opening that fails earlier begins anew.
    ///
    /// - Throws: `StoreError` if the last step of the opening fails.
    package func finish() throws(StoreError) { try finishing() }
}
