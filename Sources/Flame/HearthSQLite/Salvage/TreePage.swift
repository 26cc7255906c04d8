/// One page of a b-tree, as far as the page's content makes sense.
///
/// Shape: kind u8 | first free block u16 | cell count u16 | content start u16 | fragments u8, in pages
/// above others the last child u32, then each cell's place u16. The first page has 100 bytes in front.
///
/// - Source: https://www.sqlite.org/fileformat2.html, "B-tree Pages".
package struct TreePage {
    /// What a page is.
    package enum Kind: UInt8 {
        case aboveIndex = 2
        case aboveTable = 5
        case index = 10
        case table = 13

        /// Whether it has children.
        package var isAbove: Bool { self == .aboveIndex || self == .aboveTable }
        /// Whether its cells hold records.
        package var hasRecords: Bool { self != .aboveTable }
    }

    /// Where a cell's record lies.
    package struct Cell: Hashable {
        /// The row's number; `nil` in an index.
        package let row: Int64?
        /// How many bytes the record has.
        package let byteCount: Int
        /// The range of the record's bytes that are in the page.
        package let local: Range<Int>
        /// The page where the record goes on; `nil` if the record ends in this page.
        package let overflow: Int?
    }

    /// What the page is.
    package let kind: Kind
    /// The cells that can be made out, in the order of the tree.
    package private(set) var cells: [Cell] = []
    /// The pages below it, the last one last.
    package private(set) var children: [Int] = []
    /// In a page above others of a table, the highest rows below each child but the last.
    private(set) var keys: [Int64] = []
    /// Cells that cannot be made out.
    package private(set) var brokenCount = 0

    /// Beyond this a record's length is no length. A batch has 10 MiB at most.
    static let recordByteCountMax = 256 << 20

    /// Reads a page; `nil` if it is none of a b-tree.
    package init?(_ bytes: [UInt8], number: Int) {
        let start = number == 1 ? 100 : 0
        guard bytes.count >= start + 12, let kind = Kind(rawValue: bytes[start]) else { return nil }
        self.kind = kind
        let places = start + (kind.isAbove ? 12 : 8)
        let count = bytes.big16(at: start + 3)
        guard places + 2 * count <= bytes.count else { return nil }
        for index in 0..<count {
            let place = bytes.big16(at: places + 2 * index)
            guard place >= places + 2 * count, take(bytes, at: place) else {
                brokenCount += 1
                continue
            }
        }
        if kind.isAbove { children.append(bytes.big32(at: start + 8)) }
    }

    /// Whether no cell is broken, and each child is a page of the file and is listed once.
    func isWhole(pageCount: Int) -> Bool {
        brokenCount == 0 && Set(children).count == children.count
            && children.allSatisfy { $0 > 1 && $0 <= pageCount }
    }

    private mutating func take(_ bytes: [UInt8], at start: Int) -> Bool {
        var place = start
        var child: Int?
        if kind.isAbove {
            guard place + 4 <= bytes.count else { return false }
            child = bytes.big32(at: place)
            place += 4
        }
        if kind == .aboveTable {
            guard let key = Varint.read(bytes, at: &place), let child else { return false }
            children.append(child)
            keys.append(key)
            return true
        }
        guard let length = Varint.read(bytes, at: &place), length >= 0,
            length <= Int64(Self.recordByteCountMax)
        else { return false }
        var row: Int64?
        if kind == .table {
            guard let number = Varint.read(bytes, at: &place) else { return false }
            row = number
        }
        guard let cell = cell(row, Int(length), bytes, at: place) else { return false }
        cells.append(cell)
        if let child { children.append(child) }
        return true
    }

    private func cell(_ row: Int64?, _ length: Int, _ bytes: [UInt8], at place: Int) -> Cell? {
        let local = Self.localByteCount(of: length, in: kind, pageByteCount: bytes.count)
        guard place + local <= bytes.count else { return nil }
        guard local < length else {
            return Cell(
                row: row, byteCount: length, local: place..<(place + local), overflow: nil)
        }
        guard place + local + 4 <= bytes.count else { return nil }
        return Cell(
            row: row, byteCount: length, local: place..<(place + local),
            overflow: bytes.big32(at: place + local))
    }

    /// How much of a record is in the page itself.
    private static func localByteCount(of length: Int, in kind: Kind, pageByteCount: Int) -> Int {
        let most = kind == .table ? pageByteCount - 35 : (pageByteCount - 12) * 64 / 255 - 23
        if length <= most { return length }
        let least = (pageByteCount - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (pageByteCount - 4)
        return fitting <= most ? fitting : least
    }
}

/// SQLite's numbers of one to nine bytes, the highest seven bits first.
enum Varint {
    /// Reads a number and moves `place` behind the number; `nil` if the number does not end.
    static func read(_ bytes: [UInt8], at place: inout Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { break }
        }
        return Int64(bitPattern: value)
    }
}
