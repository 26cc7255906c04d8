/// A map of fields: of a document, or of a value inside one.
///
/// Shape: entries sorted by the UTF-8 bytes of their keys, each key once; a lookup is a binary
/// search. Keys are compared by bytes, so two spellings of "é" are two fields. The fields of a small
/// document may be bytes instead (`packed`): they then take half the room, and a lookup reads the bytes.
package struct MapValue: Sendable {
    /// One field.
    package struct Entry: Hashable, Sendable {
        /// The field's name.
        package let key: String
        /// What it holds.
        package var value: Value

        /// Pairs a name with a value.
        package init(key: String, value: Value) {
            self.key = key
            self.value = value
        }

        package static func == (lhs: Self, rhs: Self) -> Bool {
            utf8Equals(lhs.key, rhs.key) && lhs.value == rhs.value
        }

        package func hash(into hasher: inout Hasher) {
            hashUTF8(key, into: &hasher)
            hasher.combine(value)
        }
    }

    private enum Form {
        case entries([Entry])
        case packed(PackedFields)
    }

    private var form: Form

    /// The fields in the order of their names. O(1); O(bytes) for packed fields.
    package var entries: [Entry] {
        switch form {
        case .entries(let entries): entries
        case .packed(let fields): fields.entries
        }
    }

    /// Whether both are copies of one map, or have no fields: then they are equal to the bit. O(1).
    package func sharesStorage(with other: MapValue) -> Bool {
        switch (form, other.form) {
        case (.packed(let left), .packed(let right)): left.sharesStorage(with: right)
        case (.entries(let left), .entries(let right)):
            left.count == right.count
                && left.withUnsafeBufferPointer { left in
                    right.withUnsafeBufferPointer {
                        left.isEmpty || left.baseAddress == $0.baseAddress
                    }
                }
        case (.packed, .entries), (.entries, .packed): false
        }
    }

    /// The map without fields.
    package static let empty = MapValue(sorted: [])

    /// Takes entries that are in order already, none twice.
    init(sorted entries: [Entry]) {
        form = .entries(entries)
    }

    /// Takes fields that are packed already.
    package init(_ fields: PackedFields) {
        form = .packed(fields)
    }

    /// The fields as bytes; `nil` if they are values.
    package var packedFields: PackedFields? {
        guard case .packed(let fields) = form else { return nil }
        return fields
    }

    /// The same map, packed if the fields are plain; see `PackedFields`. O(parts), O(1) if already
    /// packed.
    package var packed: MapValue {
        guard case .entries(let entries) = form, let fields = PackedFields(entries) else {
            return self
        }
        return MapValue(fields)
    }

    /// Sorts `fields`; of two with one name, the later counts. O(n log n), O(n) if sorted.
    package init(_ fields: some Sequence<(String, Value)>) {
        self.init(entries: fields.map { Entry(key: $0.0, value: $0.1) })
    }

    /// Sorts `entries`; of two with one name, the later counts. O(n log n), O(n) if sorted.
    package init(entries: [Entry]) {
        let isSorted = zip(entries, entries.dropFirst()).allSatisfy {
            utf8Precedes($0.key, $1.key)
        }
        if isSorted {
            self.init(sorted: entries)
            return
        }
        let ordered = entries.enumerated().sorted {
            let order = utf8Compare($0.element.key, $1.element.key)
            return order != 0 ? order < 0 : $0.offset < $1.offset
        }
        var unique: [Entry] = []
        for (_, entry) in ordered {
            if let last = unique.last, utf8Equals(last.key, entry.key) {
                unique[unique.count - 1] = entry
            } else {
                unique.append(entry)
            }
        }
        self.init(sorted: unique)
    }

    /// How many fields there are. O(1); O(fields) for packed fields.
    package var count: Int {
        switch form {
        case .entries(let entries): entries.count
        case .packed(let fields): fields.count
        }
    }

    /// Whether there are no fields.
    package var isEmpty: Bool {
        switch form {
        case .entries(let entries): entries.isEmpty
        case .packed: false
        }
    }

    /// The value of one field of this map itself; setting `nil` removes it.
    package subscript(key: String) -> Value? {
        get {
            switch form {
            case .packed(let fields): return fields[key]
            case .entries(let entries):
                let (index, isFound) = Self.search(key, in: entries)
                return isFound ? entries[index].value : nil
            }
        }
        set {
            change(key) { entries, index, isFound in
                switch (isFound, newValue) {
                case (true, let value?): entries[index].value = value
                case (true, nil): entries.remove(at: index)
                case (false, let value?):
                    entries.insert(Entry(key: key, value: value), at: index)
                case (false, nil): break
                }
            }
        }
    }

    /// The value at a path through nested maps. Nothing lies inside a vector, which is a map only in
    /// its spelling.
    package subscript(path: FieldPath) -> Value? {
        guard let first = path.segments.first else { return .map(self) }
        guard var current = self[first] else { return nil }
        for segment in path.segments.dropFirst() {
            guard let next = current.nestedFields?[segment] else { return nil }
            current = next
        }
        return current
    }

    /// Sets the value at a path; whatever is not a map on the way becomes one, a vector too.
    package mutating func set(_ path: FieldPath, to value: Value) {
        set(path.segments[...], to: value)
    }

    /// Removes the value at a path, if the way to it leads through maps.
    package mutating func remove(_ path: FieldPath) {
        remove(path.segments[...])
    }

    /// The paths of all leaves; an empty map is a leaf.
    package var leafPaths: [FieldPath] {
        entries.flatMap { entry -> [FieldPath] in
            if let map = entry.value.nestedFields, !map.isEmpty {
                return map.leafPaths.map { FieldPath([entry.key] + $0.segments) }
            }
            return [FieldPath([entry.key])]
        }
    }

    /// The elements, if this map spells a vector: `__type__` and `value`, and nothing else. O(1).
    package var vectorElements: [Value]? {
        // What costs least comes first: most maps fail one of these. Packed fields have no such names.
        guard case .entries(let entries) = form, entries.count == 2,
            case .string(let type) = entries[0].value,
            case .array(let elements) = entries[1].value, utf8Equals(entries[0].key, "__type__"),
            utf8Equals(entries[1].key, "value"), utf8Equals(type, "__vector__")
        else { return nil }
        return elements
    }

    private mutating func set(_ path: ArraySlice<String>, to value: Value) {
        guard let first = path.first else { return }
        if path.count == 1 {
            self[first] = value
            return
        }
        change(first) { entries, index, isFound in
            var child = MapValue.empty
            if isFound {
                if let map = entries[index].value.nestedFields { child = map }
                entries[index].value = .null  // Else the child had two owners and would be copied.
                child.set(path.dropFirst(), to: value)
                entries[index].value = .map(child)
            } else {
                child.set(path.dropFirst(), to: value)
                entries.insert(Entry(key: first, value: .map(child)), at: index)
            }
        }
    }

    private mutating func remove(_ path: ArraySlice<String>) {
        guard let first = path.first else { return }
        if path.count == 1 {
            self[first] = nil
            return
        }
        change(first) { entries, index, isFound in
            guard isFound, var child = entries[index].value.nestedFields else { return }
            entries[index].value = .null  // As in `set`.
            child.remove(path.dropFirst())
            entries[index].value = .map(child)
        }
    }

    /// Lets `body` change the entries at the place where a field is or belongs.
    private mutating func change(
        _ key: String, _ body: (inout [Entry], _ index: Int, _ isFound: Bool) -> Void
    ) {
        var entries = self.entries
        form = .entries([])  // Else the entries had two owners and would be copied.
        let (index, isFound) = Self.search(key, in: entries)
        body(&entries, index, isFound)
        form = .entries(entries)
    }

    private static func search(
        _ key: String, in entries: [Entry]
    ) -> (index: Int, isFound: Bool) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let order = utf8Compare(entries[middle].key, key)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }
}

extension MapValue: Hashable {
    package static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs.form, rhs.form) {
        case (.packed(let left), .packed(let right)): left == right
        case (.packed, .entries), (.entries, _): lhs.entries == rhs.entries
        }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension Value {
    /// The fields inside, if this is a map and not a vector.
    fileprivate var nestedFields: MapValue? {
        guard case .map(let map) = self, map.vectorElements == nil else { return nil }
        return map
    }
}

extension MapValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements)
    }
}
