import HashTreeCollections
package import HearthModel

/// The names of documents that left a view's results by writes of this machine.
///
/// Persistent: a copy is free.
package struct DepartedKeys: Hashable, Sendable {
    private var keys: TreeSet<DocumentKey> = []

    /// No names.
    package init() {}

    /// Whether there are no names.
    package var isEmpty: Bool { keys.isEmpty }

    /// Whether a document left by a write. O(1).
    package func contains(_ key: DocumentKey) -> Bool { keys.contains(key) }

    /// All names, in no order. O(names).
    var all: [DocumentKey] { Array(keys) }

    /// Adds a name. O(1).
    package mutating func insert(_ key: DocumentKey) { keys.insert(key) }

    /// Takes a name away. O(1).
    ///
    /// - Returns: Whether the name was there.
    @discardableResult
    package mutating func remove(_ key: DocumentKey) -> Bool {
        keys.isEmpty ? false : keys.remove(key) != nil
    }
}
