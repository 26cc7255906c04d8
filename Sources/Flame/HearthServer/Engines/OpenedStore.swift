package import HearthEngine

/// A store that has just been opened.
package struct OpenedStore<Store> {
    /// The store.
    package let store: Store
    /// What operators must know of the opening.
    package let news: [StoreNews]
    private let finishing: @Sendable () throws(StoreError) -> Void

    /// Hands over a store.
    ///
    /// - Parameter finish: What is left to do when the engine has started on the store.
    package init(
        _ store: Store, news: [StoreNews] = [],
        finish: @escaping @Sendable () throws(StoreError) -> Void = { () throws(StoreError) in }
    ) {
        self.store = store
        self.news = news
        finishing = finish
    }

    /// Ends the opening, once the engine has started on the store.
    ///
    /// An opening that fails earlier begins anew.
    ///
    /// - Throws: `StoreError` if the last step of the opening fails.
    package func finish() throws(StoreError) { try finishing() }
}
