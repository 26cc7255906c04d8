/// Which pages of a file are in use, told even when parts of the file cannot be read.
///
/// Two sources tell: the pages above list the pages below, and a map gives SQLite the way back from
/// a page to its parent (`auto_vacuum`). Where one source is damaged, the other holds. Both
/// mistakes do harm: passing over a used page loses the page's rows, and reading a free page brings
/// back rows that were deleted long ago.
package struct PageRoles {
    /// What the map says of a page.
    private enum Entry: Hashable {
        case root
        case free
        case overflow(OverflowPlace)
        case child(of: Int)
    }

    /// The pages whose records are of tables.
    package private(set) var live: [Int] = []

    private let pages: StoredPages
    private let hasMap: Bool
    /// The pages above others that list a page.
    private var listers: [Int: [Int]] = [:]
    /// Pages above others in which nothing contradicts anything.
    private var wholeParents: Set<Int> = []
    private var freePages: Set<Int> = []
    private var roots: Set<Int> = []
    /// The part of the map that was read last.
    private let mapPart = MapPart()

    private final class MapPart {
        var number = 0
        var bytes: [UInt8]?
    }

    /// Looks at every page once, and at some twice.
    package init(_ pages: StoredPages) {
        self.pages = pages
        let head = pages.page(1)
        let isHeadSound = head.map { $0.starts(with: Self.magic) } ?? false
        // All our files have the map, so a file without a sound head counts as a file with the map.
        hasMap = !isHeadSound || (head?.big32(at: 52) ?? 0) != 0
        roots = Set((StoredSchema { pages.page($0) }?.roots ?? [:]).values)
        if isHeadSound, let head { freePages = free(from: head.big32(at: 32)) }
        let trees = surveyTrees()
        live = liveTrees(trees)
    }

    private static let magic = Array("SQLite format 3\0".utf8)

    // MARK: Trees

    /// The pages of b-trees, by what they look like.
    private mutating func surveyTrees() -> [Int] {
        var trees: [Int] = []
        var parents: [(number: Int, children: [Int])] = []
        for number in 1...max(1, pages.count) where !isMap(number) {
            guard let bytes = pages.page(number), let tree = TreePage(bytes, number: number) else {
                continue
            }
            trees.append(number)
            guard tree.kind.isAbove else { continue }
            for child in Set(tree.children) { listers[child, default: []].append(number) }
            if tree.isWhole(pageCount: pages.count) { parents.append((number, tree.children)) }
        }
        for (number, children) in parents {
            let isMapped = children.allSatisfy { child in
                entry(of: child).map { $0 == .child(of: number) } ?? true
            }
            if isMapped { wholeParents.insert(number) }
        }
        return trees
    }

    /// The pages of `trees` that are in use.
    private func liveTrees(_ trees: [Int]) -> [Int] {
        var live: Set<Int> = []
        var doubtful: Set<Int> = []
        for number in trees {
            if number == 1 || roots.contains(number) || isMappedAsLive(number) {
                live.insert(number)
            } else if !isSurelyElse(number) {
                doubtful.insert(number)
            }
        }
        // A page that the map does not vouch for is in use if a used page lists the page.
        var hasGrown = !doubtful.isEmpty
        while hasGrown {
            let more = doubtful.filter { listers[$0, default: []].contains { live.contains($0) } }
            live.formUnion(more)
            doubtful.subtract(more)
            hasGrown = !more.isEmpty
        }
        return live.sorted()
    }

    private func isMappedAsLive(_ number: Int) -> Bool {
        switch entry(of: number) {
        case .root: true
        case .child(let parent):
            listers[number, default: []].contains(parent) || !wholeParents.contains(parent)
        case .free, .overflow, nil: false
        }
    }

    /// Whether another page confirms the map's entry that the page is free or an overflow page.
    private func isSurelyElse(_ number: Int) -> Bool {
        switch entry(of: number) {
        case .free: freePages.contains(number)
        case .overflow(let page): goesOn(at: number, from: page)
        case .root, .child, nil: false
        }
    }

    private func goesOn(at number: Int, from page: OverflowPlace) -> Bool {
        guard let bytes = pages.page(page.before) else { return false }
        guard page.isFirst else { return bytes.big32(at: 0) == number }
        guard let tree = TreePage(bytes, number: page.before) else { return false }
        return tree.cells.contains { $0.overflow == number }
    }

    // MARK: Records

    /// A cell's whole record; `nil` if the record cannot be followed to its end.
    ///
    /// - Parameters:
    ///   - cell: A cell of the page.
    ///   - bytes: The bytes of the page.
    ///   - number: The number of the page.
    package func record(_ cell: TreePage.Cell, in bytes: [UInt8], page number: Int) -> [UInt8]? {
        var record = Array(bytes[cell.local])
        var next = cell.overflow
        var place = OverflowPlace(before: number, isFirst: true)
        while record.count < cell.byteCount {
            guard let page = next, let part = pages.page(page), follows(page, place) else {
                return nil
            }
            let count = min(cell.byteCount - record.count, part.count - 4)
            record += part[4..<(4 + count)]
            next = part.big32(at: 0)
            place = OverflowPlace(before: page, isFirst: false)
        }
        return record
    }

    /// Whether nothing speaks against a page being where a record goes on.
    private func follows(_ number: Int, _ place: OverflowPlace) -> Bool {
        switch entry(of: number) {
        case nil: !isMap(number)
        case .overflow(place): true
        case .root: !roots.contains(number)
        case .child(let parent): !listers[number, default: []].contains(parent)
        case .free, .overflow: !isSurelyElse(number)
        }
    }

    // MARK: The map

    /// Whether a page is part of the map itself.
    private func isMap(_ number: Int) -> Bool {
        hasMap && number > 1 && mapPage(of: number) == number
    }

    private func mapPage(of number: Int) -> Int {
        let stride = pages.byteCount / 5 + 1
        let page = (number - 2) / stride * stride + 2
        // The page of SQLite's locks holds nothing.
        return page == 0x4000_0000 / pages.byteCount + 1 ? page + 1 : page
    }

    /// What the map says of a page; `nil` for what it never says.
    private func entry(of number: Int) -> Entry? {
        guard hasMap, number > 2, number <= pages.count else { return nil }
        let map = mapPage(of: number)
        if mapPart.number != map {
            mapPart.number = map
            mapPart.bytes = pages.page(map)
        }
        let place = 5 * (number - map - 1)
        guard let bytes = mapPart.bytes, place >= 0, place + 5 <= bytes.count else { return nil }
        let parent = bytes.big32(at: place + 1)
        let hasParent = parent >= 1 && parent <= pages.count && parent != number
        switch (bytes[place], hasParent) {
        case (1, false): return parent == 0 ? .root : nil
        case (2, false): return parent == 0 ? .free : nil
        case (3, true): return .overflow(OverflowPlace(before: parent, isFirst: true))
        case (4, true): return .overflow(OverflowPlace(before: parent, isFirst: false))
        case (5, true): return .child(of: parent)
        default: return nil
        }
    }

    // MARK: The first page

    /// The pages in the list of free pages.
    private func free(from trunk: Int) -> Set<Int> {
        var free: Set<Int> = []
        var trunk = trunk
        while trunk > 1, !free.contains(trunk), let bytes = pages.page(trunk) {
            free.insert(trunk)
            let count = min(bytes.big32(at: 4), bytes.count / 4 - 2)
            for index in 0..<max(0, count) {
                let page = bytes.big32(at: 8 + 4 * index)
                if page > 1, page <= pages.count { free.insert(page) }
            }
            trunk = bytes.big32(at: 0)
        }
        return free
    }
}

/// Where a page of a record's rest comes: behind its leaf, or behind another such page.
struct OverflowPlace: Hashable {
    let before: Int
    let isFirst: Bool
}
