package import HearthFirestore

/// A kind of store to tell stories with.
package struct StoryBacking: Sendable {
    /// What it is called in reports.
    package let name: String
    /// Whether it outlives the engine.
    package let isDurable: Bool
    /// Whether it keeps indexes; one without has none, whatever is asked of it.
    package let keepsIndexes: Bool
    /// Opens the store, the same each time; the one opened before is gone by then.
    package let open: @Sendable () throws(StoreError) -> any FirestoreStore
    /// Wipes the store, which is not open.
    package let erase: @Sendable () -> Void

    /// Describes a kind of store.
    package init(
        name: String, isDurable: Bool, keepsIndexes: Bool = false,
        open: @escaping @Sendable () throws(StoreError) -> any FirestoreStore,
        erase: @escaping @Sendable () -> Void
    ) {
        self.name = name
        self.isDurable = isDurable
        self.keepsIndexes = keepsIndexes
        self.open = open
        self.erase = erase
    }
}
