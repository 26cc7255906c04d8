package import HearthEngine
package import HearthFirestore

/// A kind of store to tell stories with.
package struct StoryBacking: Sendable {
    /// What it is called in reports.
    package let name: String
    /// Whether it outlives the engine.
    package let isDurable: Bool
    /// Whether it keeps indexes; a store without indexes never gets any.
    package let keepsIndexes: Bool
    /// Wipes the store, which is not open.
    package let erase: @Sendable () -> Void
    private let opening: @Sendable () throws(StoreError) -> any FirestoreStore

    /// Describes a kind of store.
    package init(
        name: String, isDurable: Bool, keepsIndexes: Bool = false,
        open: @escaping @Sendable () throws(StoreError) -> any FirestoreStore,
        erase: @escaping @Sendable () -> Void
    ) {
        self.name = name
        self.isDurable = isDurable
        self.keepsIndexes = keepsIndexes
        opening = open
        self.erase = erase
    }

    /// Opens the store, the same each time; the one opened before is gone by then.
    package func open() throws(StoreError) -> any FirestoreStore { try opening() }
}
