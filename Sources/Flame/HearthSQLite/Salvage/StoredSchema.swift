/// Where the tables of a file begin, as far as its schema can be read.
package struct StoredSchema {
    /// The first pages of tables and indexes, by their names.
    package private(set) var roots: [String: Int] = [:]
    /// Whether there are no tables at all.
    package let isEmpty: Bool

    /// The schema has a few pages; a chain of more is damaged.
    private static let depthMax = 3

    /// Reads the schema; `nil` if its first page cannot be read.
    package init?(_ page: (Int) -> [UInt8]?) {
        guard let head = page(1), let tree = TreePage(head, number: 1) else { return nil }
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
