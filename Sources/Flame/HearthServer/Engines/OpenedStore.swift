package import HearthFirestore

/// A store that has just been opened.
package struct OpenedStore<Store> {
    /// The store.
    package let store: Store
    /// What operators must know of the opening.
    package let news: [StoreNews]
    /// Called when the engine has started on it; what failed until then is begun anew.
    package let finish: @Sendable () throws(StoreError) -> Void

    /// Hands over a store.
    package init(
        _ store: Store, news: [StoreNews] = [],
        finish: @escaping @Sendable () throws(StoreError) -> Void = { () throws(StoreError) in }
    ) {
        self.store = store
        self.news = news
        self.finish = finish
    }
}
