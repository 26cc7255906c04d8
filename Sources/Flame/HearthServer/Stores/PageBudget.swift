/// How much one page of a list takes, so that the page fits a frame and the daemon holds little.
struct PageBudget {
    /// Bytes of rows, as stored, after which a page ends. With all that is told of a row besides, and
    /// with one row of the greatest size, a page stays below a frame.
    static let byteCountMax = 4 << 20

    private let countMax: Int
    private var count = 0
    private var byteCount = 0

    /// A page of some rows.
    init(countMax: Int) { self.countMax = countMax }

    /// Whether the page takes one more row. The first is always taken.
    mutating func takes(_ byteCount: Int) -> Bool {
        // A store that was restored may tell any size.
        let byteCount = min(max(byteCount, 0), Self.byteCountMax + 1)
        guard count == 0 || count < countMax && self.byteCount + byteCount <= Self.byteCountMax
        else { return false }
        count += 1
        self.byteCount += byteCount
        return true
    }

    /// The rows that one page takes. O(rows).
    static func part<Row>(
        of rows: [Row], countMax: Int = .max, byteCount: (Row) -> Int
    ) -> ArraySlice<Row> {
        var budget = PageBudget(countMax: countMax)
        return rows.prefix { budget.takes(byteCount($0)) }
    }
}
