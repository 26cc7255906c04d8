/// Goes through a table from its first page down, and checks each page against the pages above.
package struct TreeWalk {
    private let page: (Int) -> [UInt8]?
    private var count = 0
    private var last = Int64.min

    /// No tree of ours is deeper: pages above others have hundreds of children.
    private static let depthMax = 12

    /// Goes through the pages that `page` gives.
    package init(_ page: @escaping (Int) -> [UInt8]?) {
        self.page = page
    }

    /// How many rows a table has; `nil` if its pages contradict each other.
    package func rowCount(from root: Int) -> Int? {
        var walk = self
        return walk.goesDown(root, depth: 0) ? walk.count : nil
    }

    private mutating func goesDown(_ number: Int, depth: Int) -> Bool {
        guard depth <= Self.depthMax, let bytes = page(number),
            let tree = TreePage(bytes, number: number), tree.brokenCount == 0
        else { return false }
        switch tree.kind {
        case .table:
            for cell in tree.cells {
                guard let row = cell.row, row > last || count == 0 else { return false }
                last = row
                count += 1
            }
            return true
        case .aboveTable:
            for (index, child) in tree.children.enumerated() {
                guard goesDown(child, depth: depth + 1) else { return false }
                guard index < tree.keys.count else { continue }
                // The rows of this child are not beyond the key, and the rows of the next child
                // are.
                guard last <= tree.keys[index] else { return false }
                last = tree.keys[index]
            }
            return true
        case .index, .aboveIndex: return false
        }
    }
}
