import HashTreeCollections

/// The documents of a view in the order of its query. Persistent: a copy is free.
package struct DocumentSet: Sendable {
    /// The order, which ends with the key and so never holds two documents equal.
    package let order: DocumentOrder
    /// Each document once on the heap, so that both trees are small and cheap to copy.
    private var byKey: TreeDictionary<DocumentKey, Box> = [:]
    private var tree = OrderedTree<Box>()

    private final class Box: Sendable {
        let document: Document

        init(_ document: Document) {
            self.document = document
        }
    }

    /// The empty set.
    package init(order: DocumentOrder) {
        self.order = order
    }

    /// Sorts `documents`; no two documents may have the same key. O(n log n).
    package init(order: DocumentOrder, _ documents: some Sequence<Document>) {
        self.order = order
        let sorted = order.sorted(documents).map { Box($0) }
        tree = OrderedTree(sorted: sorted)
        for box in sorted { byKey[box.document.key] = box }
    }

    /// How many documents there are. O(1).
    package var count: Int { tree.count }

    /// Whether there are no documents.
    package var isEmpty: Bool { tree.count == 0 }

    /// The first in order.
    package var first: Document? { tree.first?.document }

    /// The last in order.
    package var last: Document? { tree.last?.document }

    /// Whether a document of this name is in the set. O(1).
    package func contains(_ key: DocumentKey) -> Bool { byKey.keys.contains(key) }

    /// The document of this name. O(1).
    package subscript(key: DocumentKey) -> Document? { byKey[key]?.document }

    /// The document at a place, which must exist. O(log n).
    package subscript(index: Int) -> Document { tree[index].document }

    /// The place of the document of this name. O(log n).
    package func index(of key: DocumentKey) -> Int? {
        byKey[key].flatMap { tree.index(of: $0) { order.compare($0.document, $1.document) } }
    }

    /// All documents in order. O(n).
    package var documents: [Document] { tree.elements.map(\.document) }

    /// All names, in no order.
    package var keys: some Collection<DocumentKey> { byKey.keys }

    /// Puts a document in its place, instead of one of the same name. O(log n).
    package mutating func insert(_ document: Document) {
        let box = Box(document)
        // The insertion replaces a document that keeps its place; a moved document must go first.
        if let old = byKey.updateValue(box, forKey: document.key),
            order.compare(old.document, document) != 0
        {
            tree.remove(old) { order.compare($0.document, $1.document) }
        }
        tree.insert(box) { order.compare($0.document, $1.document) }
    }

    /// Takes away the document of this name, if there is one. O(log n).
    package mutating func remove(_ key: DocumentKey) {
        guard let old = byKey.removeValue(forKey: key) else { return }
        tree.remove(old) { order.compare($0.document, $1.document) }
    }
}

extension DocumentSet: Equatable {
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.count == rhs.count && lhs.order == rhs.order && lhs.documents == rhs.documents
    }
}
