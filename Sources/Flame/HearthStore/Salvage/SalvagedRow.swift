import HearthSQLite

/// The tables whose rows are salvaged, told by the shapes of the rows alone.
///
/// No two tables of a store have rows alike, whatever the schema's version, so a row itself tells
/// its table. A broken schema page, or a broken way down to a leaf, loses no row.
enum SalvagedTable: CaseIterable {
    /// `mutations`, and the same before its rows were named by queue and number.
    case batches, oldBatches
    /// `dead_letters`
    case deadLetters
    /// `mutation_queues`, the same before rows told how far a queue was sent, and the two indexes.
    case queues, oldQueues, queuesBySent, queuesByUser
    /// `store`
    case counters
    /// `write_records`
    case records
    /// `forgotten_writes`
    case forgotten
    /// `sending_terms`
    case terms

    /// The table of a row; `nil` if rows of the table are not salvaged.
    init?<Content: SalvagedContent>(kinds: [Int64], isOfIndex: Bool, of content: Content.Type) {
        let found = Self.allCases.first {
            $0.isIndex == isOfIndex && $0.fits(kinds, of: content)
        }
        guard let found else { return nil }
        self = found
    }

    private var isIndex: Bool {
        switch self {
        case .records, .forgotten, .queuesBySent, .queuesByUser: true
        case .batches, .oldBatches, .deadLetters, .queues, .oldQueues, .counters, .terms: false
        }
    }

    private func fits<Content: SalvagedContent>(_ kinds: [Int64], of content: Content.Type)
        -> Bool
    {
        if self == .counters { return content.isCounters(kinds) }
        let columns = columns(Content.writesShape)
        // A row from before the later column has none.
        let later = kinds.count == columns.count + 1 ? laterColumns : []
        return StoredRecord.kinds(kinds, fit: columns + later)
    }

    /// The column that some version has added.
    private var laterColumns: [StoredRecord.Column] {
        switch self {
        case .queues: [.text]
        case .batches: [.optionalNumber]
        case .oldBatches, .deadLetters, .oldQueues, .queuesBySent, .queuesByUser, .counters,
            .records, .forgotten, .terms:
            []
        }
    }

    private func columns(_ writes: [StoredRecord.Column]) -> [StoredRecord.Column] {
        let writer: [StoredRecord.Column] = [
            .number, .number, .number, .optionalText, .optionalText,
        ]
        return switch self {
        case .batches: [.null, .number, .time] + writer + writes
        case .oldBatches: [.null, .number, .number, .time] + writer + writes
        case .deadLetters:
            [.null, .text, .number, .time] + writer + writes + [.number, .text, .time, .number]
        case .queues: [.null, .text, .number]
        case .oldQueues: [.null, .text]
        case .queuesBySent: [.number, .text, .number]
        case .queuesByUser: [.text, .number]
        case .counters: []
        case .records:
            [
                .number, .number, .number, .number, .number, .number, .optionalBytes,
                .optionalNumber, .optionalText, .time,
            ]
        case .forgotten: [.number, .number, .number, .number, .time]
        case .terms: [.null, .optionalNumber, .text]
        }
    }
}

extension StoredRecord.Column {
    /// A time, as `TimeBytes` has it.
    static var time: Self { .sized(TimeBytes.count) }
}

/// A row of a table that is salvaged.
struct SalvagedRow {
    /// The table of the row.
    let table: SalvagedTable
    /// The content of the row.
    let record: StoredRecord
}

/// Reads the rows that are salvaged from every page in use.
struct SalvagedRows {
    /// The rows, in the order of the pages.
    private(set) var rows: [SalvagedRow] = []
    /// Rows that are there and cannot be read whole, by their pages.
    private(set) var brokenCounts: [Int: Int] = [:]

    init<Content: SalvagedContent>(_ pages: StoredPages, of content: Content.Type) {
        if pages.count == 0 { return }
        let roles = PageRoles(pages)
        for number in roles.live {
            guard let bytes = pages.page(number), let tree = TreePage(bytes, number: number),
                tree.kind.hasRecords
            else { continue }
            if tree.brokenCount > 0 { brokenCounts[number, default: 0] += tree.brokenCount }
            var last: Int64?
            for cell in tree.cells {
                // Rows come in the order of their numbers: a row out of order bears a wrong number.
                if let row = cell.row, let last, row <= last {
                    brokenCounts[number, default: 0] += 1
                    continue
                }
                last = cell.row
                take(cell, in: bytes, number, tree.kind, roles, content)
            }
        }
    }

    private mutating func take(
        _ cell: TreePage.Cell, in bytes: [UInt8], _ number: Int, _ kind: TreePage.Kind,
        _ roles: PageRoles, _ content: (some SalvagedContent).Type
    ) {
        guard let kinds = StoredRecord.kinds(of: bytes[cell.local]) else {
            brokenCounts[number, default: 0] += 1
            return
        }
        guard let table = SalvagedTable(kinds: kinds, isOfIndex: kind != .table, of: content)
        else { return }
        guard let whole = roles.record(cell, in: bytes, page: number),
            let record = StoredRecord(whole, row: cell.row), record.hasOnlySoundTexts
        else {
            brokenCounts[number, default: 0] += 1
            return
        }
        rows.append(SalvagedRow(table: table, record: record))
    }
}
