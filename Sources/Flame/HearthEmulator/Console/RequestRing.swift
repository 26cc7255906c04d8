/// The newest requests: as many as fit into a count and into bytes.
struct RequestRing: Sendable {
    /// Requests that are kept: some minutes of a test run, or an hour of a person's.
    static let countMax = 1_000
    /// Bytes that they may hold together, about.
    static let byteCountMax = 4 << 20

    private let countMax: Int
    private let byteCountMax: Int
    private var entries: [Int: RequestEntry] = [:]
    private var first = 1
    private var next = 1
    private(set) var byteCount = 0

    /// Holds nothing yet.
    init(countMax: Int = countMax, byteCountMax: Int = byteCountMax) {
        self.countMax = countMax
        self.byteCountMax = byteCountMax
    }

    /// How many requests are kept.
    var count: Int { entries.count }

    /// How many requests there have been, kept or not.
    var total: Int { next - 1 }

    /// Adds a request, and gives up old ones until the rest fits. The newest always fits. O(1) in the
    /// mean.
    mutating func add(_ entry: RequestEntry) {
        var entry = entry
        entry.number = next
        entries[next] = entry
        next += 1
        byteCount += entry.byteCount
        while entries.count > 1, entries.count > countMax || byteCount > byteCountMax {
            byteCount -= entries.removeValue(forKey: first)?.byteCount ?? 0
            first += 1
        }
    }

    /// The requests behind a number, newest first.
    func entries(after number: Int) -> [RequestEntry] {
        let start = max(first, number + 1)
        guard start < next else { return [] }
        return (start..<next).reversed().compactMap { entries[$0] }
    }
}
