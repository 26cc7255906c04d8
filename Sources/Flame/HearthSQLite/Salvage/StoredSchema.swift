/// Where the tables of a file begin, as far as its schema can be read.
package struct StoredSchema {
    /// The first pages of tables and indexes, by their names.
    package private(set) var roots: [String: Int] = [:]
    /// Whether there are no tables at all.
    package let isEmpty: Bool
    /// The number that a program has given its schema (`PRAGMA user_version`), read as unsigned; 0 if none has.
    package let version: Int
    /// The mark of the program that made the file (`PRAGMA application_id`); 0 if the program has none.
    package let programMark: Int
    /// Whether the file begins as SQLite's files do.
    package let hasSoundHead: Bool

    /// The schema has a few pages; a chain of more is damaged.
    private static let depthMax = 3

    private static let magic = Array("SQLite format 3\0".utf8)

    /// Reads the schema; `nil` if its first page cannot be read.
    package init?(_ page: (Int) -> [UInt8]?) {
        guard let head = page(1), let tree = TreePage(head, number: 1) else { return nil }
        hasSoundHead = head.starts(with: Self.magic)
        version = head.big32(at: 60)
        programMark = head.big32(at: 68)
        isEmpty = tree.cells.isEmpty && tree.children.isEmpty && tree.brokenCount == 0
        take(1, page, depth: 0)
    }

    private mutating func take(_ number: Int, _ page: (Int) -> [UInt8]?, depth: Int) {
        guard depth <= Self.depthMax, let bytes = page(number),
            let tree = TreePage(bytes, number: number)
        else { return }
        for child in tree.children where child != number { take(child, page, depth: depth + 1) }
        guard tree.kind == .table else { return }
        for cell in tree.cells {
            // type, name, tbl_name, rootpage, sql, which may go on elsewhere.
            let local = Array(bytes[cell.local])
            guard let kinds = StoredRecord.kinds(of: local[...]), kinds.count == 5,
                let name = StoredRecord.text(1, of: kinds, in: local),
                let root = StoredRecord.number(3, of: kinds, in: local), root > 1
            else { continue }
            roots[name] = Int(root)
        }
    }
}
