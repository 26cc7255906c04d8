import HearthModel

/// What the automatic indexes hold of one document.
///
///     entries of a field = one ascending, one descending, and one for each element of an array
///     size of an entry   = name + name of the parent + path of the field + value + 32
///
/// A value counts for its first 1,500 bytes, since no more of it is in an index.
///
/// - Source: Firestore's documentation of storage sizes and limits; the texts are production's.
struct IndexEntries {
    /// The most entries of one document.
    static let countMax = 40_000
    /// The most that the entries of one document take together, in bytes.
    static let byteCountMax = 8 * 1_024 * 1_024
    /// The largest entry, in bytes.
    static let entryByteCountMax = 7_680
    /// How much of a value is in an index, in bytes.
    static let valueByteCountMax = 1_500

    /// How many entries there are.
    private(set) var count = 0
    /// How much they take together.
    private(set) var byteCount = 0
    /// The first field that has too large an entry.
    private(set) var tooLarge: String?
    private let baseByteCount: Int

    /// Counts the entries of a document. O(n), n values at any depth.
    init(of document: Document) {
        baseByteCount = Self.baseByteCount(of: document.key)
        add(document.fields, below: [])
    }

    /// Refuses a document whose index entries would be too many or too large.
    ///
    /// - Parameter size: The document's size.
    static func check(_ document: Document, ofSize size: Int) throws(HearthError) {
        // Each entry stands for at least one byte of the document, and no entry's path is longer
        // than the document.
        let (most, isTooMuch) = size.multipliedReportingOverflow(
            by: baseByteCount(of: document.key) + size + valueByteCountMax)
        if !isTooMuch, most <= byteCountMax, most / max(size, 1) <= entryByteCountMax { return }
        let entries = IndexEntries(of: document)
        let name = "entity /\(document.key)"
        guard entries.count <= countMax else {
            throw .argument("too many index entries for \(name)")
        }
        if let field = entries.tooLarge {
            throw .argument("Index entry on \(field) is larger than \(entryByteCountMax) bytes.")
        }
        guard entries.byteCount <= byteCountMax else {
            throw .argument("too many index value bytes for index entries for \(name)")
        }
    }

    private mutating func add(_ fields: MapValue, below path: [String]) {
        for entry in fields.entries {
            let path = path + [entry.key]
            add(entry.value, at: path, times: 2)
            switch entry.value {
            case .map(let map) where map.vectorElements == nil: add(map, below: path)
            case .array(let elements):
                for element in elements { add(element, at: path, times: 1) }
            case .null, .boolean, .integer, .double, .timestamp, .serverTimestamp, .string, .bytes,
                .reference, .geoPoint, .map:
                break
            }
        }
    }

    private mutating func add(_ value: Value, at path: [String], times: Int) {
        let pathByteCount = path.reduce(0) { $0 + $1.utf8.count + 1 }
        let size =
            baseByteCount + pathByteCount
            + min(value.storedByteCount, Self.valueByteCountMax)
        count += times
        byteCount += size * times
        if size > Self.entryByteCountMax, tooLarge == nil {
            tooLarge = FieldPath(path).canonicalString
        }
    }

    /// The bytes that every entry of a document takes apart from the entry's field and value.
    private static func baseByteCount(of key: DocumentKey) -> Int {
        let parent = key.collection.parent
        // A collection at the root has the name of nothing above it.
        let parentByteCount = parent.isEmpty ? 16 : parent.storedByteCount
        return key.path.storedByteCount + parentByteCount + 32
    }
}
