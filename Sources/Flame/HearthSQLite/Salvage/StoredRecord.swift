/// A row as SQLite stores it: the kind of each column, and where their bytes are.
///
/// Shape: byte count of the head varint | kind of each column varint | the columns' bytes.
///
/// - Source: https://www.sqlite.org/fileformat2.html, "Record Format".
package struct StoredRecord {
    /// What a column of a table of ours may be.
    package enum Column {
        case null, number, text, optionalText, bytes, optionalBytes, optionalNumber
        /// So many bytes.
        case sized(Int)
    }

    /// The row's number; `nil` in an index.
    package let row: Int64?
    /// SQLite's kinds of the columns.
    package let kinds: [Int64]

    private let bytes: [UInt8]
    private let columns: [Range<Int>]

    /// No table of ours has more.
    private static let columnCountMax = 32

    /// Reads the kinds of the columns from a record's first bytes.
    package static func kinds(of record: ArraySlice<UInt8>) -> [Int64]? {
        let bytes = Array(record.prefix(9 * columnCountMax))
        var place = 0
        guard let end = Varint.read(bytes, at: &place), end > 0, end <= Int64(bytes.count) else {
            return nil
        }
        var kinds: [Int64] = []
        while place < end {
            guard kinds.count < columnCountMax, let kind = Varint.read(bytes, at: &place),
                kind >= 0,
                kind != 10, kind != 11
            else { return nil }
            kinds.append(kind)
        }
        return place == end ? kinds : nil
    }

    /// Reads a whole record; `nil` if the columns' lengths do not add up to the record's.
    package init?(_ bytes: [UInt8], row: Int64?) {
        var place = 0
        guard let kinds = Self.kinds(of: bytes[...]),
            let head = Varint.read(bytes, at: &place)
        else { return nil }
        var columns: [Range<Int>] = []
        var start = Int(head)
        for kind in kinds {
            let length = Self.byteCount(of: kind)
            guard length <= bytes.count - start else { return nil }
            columns.append(start..<(start + length))
            start += length
        }
        guard start == bytes.count else { return nil }
        self.row = row
        self.kinds = kinds
        self.bytes = bytes
        self.columns = columns
    }

    private static func byteCount(of kind: Int64) -> Int {
        switch kind {
        case 0, 8, 9: 0
        case 1, 2, 3, 4: Int(kind)
        case 5: 6
        case 6, 7: 8
        default: kind > Int64(TreePage.recordByteCountMax) * 2 ? .max : Int(kind - 12) / 2
        }
    }

    /// A column's number, if it lies in a record's first bytes.
    static func number(_ column: Int, of kinds: [Int64], in bytes: [UInt8]) -> Int64? {
        guard fits(kinds[column], .number), let place = place(of: column, kinds, in: bytes) else {
            return nil
        }
        return number(bytes[place], kind: kinds[column])
    }

    /// A column's text, if it lies in a record's first bytes.
    static func text(_ column: Int, of kinds: [Int64], in bytes: [UInt8]) -> String? {
        guard fits(kinds[column], .text), let place = place(of: column, kinds, in: bytes) else {
            return nil
        }
        return String(validating: bytes[place], as: UTF8.self)
    }

    private static func place(of column: Int, _ kinds: [Int64], in bytes: [UInt8]) -> Range<Int>? {
        var place = 0
        guard let head = Varint.read(bytes, at: &place) else { return nil }
        var start = Int(head)
        for (index, kind) in kinds.enumerated() {
            let length = byteCount(of: kind)
            guard length <= bytes.count - start else { return nil }
            if index == column { return start..<(start + length) }
            start += length
        }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>, kind: Int64) -> Int64 {
        guard let first = bytes.first else { return kind == 9 ? 1 : 0 }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    // MARK: Columns

    /// Whether a row with columns of these kinds fits a table with `columns`.
    package static func kinds(_ kinds: [Int64], fit columns: [Column]) -> Bool {
        kinds.count == columns.count && zip(kinds, columns).allSatisfy { fits($0, $1) }
    }

    private static func fits(_ kind: Int64, _ column: Column) -> Bool {
        let isNumber = (1...6).contains(kind) || kind == 8 || kind == 9
        let isText = kind >= 13 && kind & 1 == 1
        let isBytes = kind >= 12 && kind & 1 == 0
        return switch column {
        case .null: kind == 0
        case .number: isNumber
        case .optionalNumber: kind == 0 || isNumber
        case .text: isText
        case .optionalText: kind == 0 || isText
        case .bytes: isBytes
        case .optionalBytes: kind == 0 || isBytes
        case .sized(let count): kind == Int64(12 + 2 * count)
        }
    }

    /// A column's number; 0 for none.
    package func number(_ column: Int) -> Int64 {
        let isNumber = Self.fits(kinds[column], .number)
        return isNumber ? Self.number(bytes[columns[column]], kind: kinds[column]) : 0
    }

    /// A column's bytes; `nil` for none.
    package func data(_ column: Int) -> [UInt8]? {
        kinds[column] < 12 ? nil : Array(bytes[columns[column]])
    }

    /// A column's text, which is UTF-8 or nothing; `nil` for none.
    package func text(_ column: Int) -> String? {
        kinds[column] < 13 ? nil : String(validating: bytes[columns[column]], as: UTF8.self)
    }

    /// Whether each text is UTF-8, as far as columns are texts.
    package var hasOnlySoundTexts: Bool {
        kinds.indices.allSatisfy { kinds[$0] < 13 || kinds[$0] & 1 == 0 || text($0) != nil }
    }
}
