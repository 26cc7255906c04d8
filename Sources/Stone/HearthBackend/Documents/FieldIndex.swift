import HearthModel

/// The documents of a collection, or of a collection group, in the order of one field.
///
/// Persistent: a copy is free. An entry costs about 60 bytes, and each change of the field two walks
/// from the root.
struct FieldIndex: Sendable {
    /// What of a field is in the index.
    enum Mode: Hashable, Sendable {
        /// Its value.
        case value
        /// If it is an array, each of its elements.
        case elements
    }

    /// Which index of a collection or group this is.
    struct Name: Hashable, Sendable {
        let field: FieldPath
        let mode: Mode
    }

    /// A value that a document has.
    struct Entry: Sendable {
        let value: Value
        let key: DocumentKey
    }

    let name: Name
    private var entries: OrderedTree<Entry>

    /// Sorts documents that are found. O(n log n).
    init(_ name: Name, of documents: [Document]) {
        self.name = name
        let unsorted = documents.flatMap { document in
            Self.values(name, of: document).map { Entry(value: $0, key: document.key) }
        }
        var sorted = unsorted.sorted { Self.order($0, $1) < 0 }
        if name.mode == .elements {
            var last: Entry?
            sorted.removeAll { entry in
                defer { last = entry }
                return last.map { Self.order($0, entry) == 0 } ?? false
            }
        }
        entries = OrderedTree(sorted: sorted)
    }

    /// How many entries there are.
    var count: Int { entries.count }

    /// Takes a change of a document. O(log n) for each value that came or went.
    mutating func update(_ change: DocumentChange) {
        let old = Self.values(name, of: change.old)
        let new = Self.values(name, of: change.new)
        if old == new { return }
        for value in old {
            entries.remove(Entry(value: value, key: change.key), by: Self.order)
        }
        for value in new {
            entries.insert(Entry(value: value, key: change.key), by: Self.order)
        }
    }

    /// The place of the first entry whose value is not before another. O(log n).
    func start(of value: Value) -> Int {
        entries.firstIndex { $0.value.compare(to: value) >= 0 }
    }

    /// The place behind the last entry whose value is not after another. O(log n).
    func end(of value: Value) -> Int {
        entries.firstIndex { $0.value.compare(to: value) > 0 }
    }

    /// The places of all values of the type of another. O(log n).
    func places(ofType type: TypeOrder) -> Range<Int> {
        let start = entries.firstIndex { $0.value.typeOrder >= type }
        return start..<max(start, entries.firstIndex { $0.value.typeOrder > type })
    }

    /// Visits the entries at a range of places, forwards or backwards, until `body` answers
    /// `false`.
    func walk(_ places: Range<Int>, backwards: Bool, _ body: (Entry) -> Bool) {
        var rest = places.count
        if rest == 0 { return }
        func visit(_ entry: Entry) -> Bool {
            rest -= 1
            return body(entry) && rest > 0
        }
        if backwards {
            entries.walkBack(from: places.upperBound, visit)
        } else {
            entries.walk(from: places.lowerBound, visit)
        }
    }

    private static func values(_ name: Name, of document: Document) -> [Value] {
        guard document.isFound, let value = document[name.field] else { return [] }
        return name.mode == .value ? [value] : value.arrayElements ?? []
    }

    private static func order(_ left: Entry, _ right: Entry) -> Int {
        let order = left.value.compare(to: right.value)
        return order != 0 ? order : left.key.compare(to: right.key)
    }
}
