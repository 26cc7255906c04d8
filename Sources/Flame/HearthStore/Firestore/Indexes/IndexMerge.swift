import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// The entries of an index's sorted runs in one order. Holds one block of each run.
struct IndexMerge {
    /// One run, without the entries that were taken.
    struct Run {
        var name: RunBlockID
        var block: RunBlock
        var first: IndexEntry
    }

    let index: IndexID
    /// The last entry that was taken.
    private(set) var place: IndexPlace
    /// A heap: no run's first entry is before the first entry of the parent.
    private var runs: [Run]

    /// Goes on behind a place, which the runs' first entries are behind.
    init(of index: IndexID, behind place: IndexPlace, _ runs: [Run]) {
        self.index = index
        self.place = place
        // What is sorted is a heap.
        self.runs = runs.sorted { $0.first.place < $1.first.place }
    }

    /// The next entry; `nil` if all have been taken.
    var first: IndexEntry? { runs.first?.first }

    /// Takes the next entry of the first run.
    ///
    /// - Parameter load: Forgets a block whose entries were all taken, and gives the next block of
    ///   the run.
    mutating func takeFirst(
        _ load: (RunBlockID) throws(StoreError) -> RunBlock?
    ) throws(StoreError) {
        place = runs[0].first.place
        if let entry = try runs[0].block.next() {
            runs[0].first = entry
        } else if var block = try load(runs[0].name), let entry = try block.next() {
            runs[0] = Run(name: runs[0].name.next, block: block, first: entry)
        } else {
            runs.swapAt(0, runs.count - 1)
            runs.removeLast()
        }
        sink()
    }

    /// Moves the first run down to where it belongs.
    private mutating func sink() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < runs.count else { return }
            if child + 1 < runs.count, runs[child + 1].first.place < runs[child].first.place {
                child += 1
            }
            guard runs[child].first.place < runs[parent].first.place else { return }
            runs.swapAt(parent, child)
            parent = child
        }
    }
}

extension SQLiteTransaction {
    /// Moves entries of an index's runs into the index, in the order of the index, behind a place.
    ///
    /// The transaction that changes a document lists the document itself, so the merge leaves out
    /// changed documents.
    ///
    /// - Returns: How many entries were taken, fewer than `countMax` if these were the last, and the
    ///   place of the last.
    func mergeRuns(of stored: StoredIndex, behind place: IndexPlace, countMax: Int)
        throws(StoreError) -> (count: Int, place: IndexPlace)
    {
        // If this slice is undone, the merge is no longer where the table says, and begins anew
        // from the table's place.
        let kept = merge.flatMap { $0.index == stored.id && $0.place == place ? $0 : nil }
        merge = nil
        var current =
            if let kept, place != .start { kept } else { try openMerge(stored.id, behind: place) }
        let hasChanges = try hasChanged(in: stored.id)
        let insert = try connection.statement(
            "INSERT OR IGNORE INTO index_entries VALUES (?, ?, ?, ?)")
        var count = 0
        while count < countMax, let entry = current.first {
            count += 1
            let isChanged = hasChanges ? try hasChanged(entry.document, in: stored.id) : false
            if !isChanged {
                try insert.bind(
                    stored.id.rawValue, entry.place.collection, entry.place.value, entry.document
                ).run()
            }
            try current.takeFirst { (name) throws(StoreError) in
                try connection.statement("DELETE FROM index_runs WHERE id = ?")
                    .bind(name.rawValue).run()
                return try runBlock(name.next)
            }
        }
        merge = current
        return (count, current.place)
    }

    private func openMerge(_ index: IndexID, behind place: IndexPlace) throws(StoreError)
        -> IndexMerge
    {
        let names = RunBlockID.all(of: index)
        let statement = try connection.statement(
            "SELECT id, entries FROM index_runs WHERE id >= ? AND id < ? ORDER BY id LIMIT 1")
        var runs: [IndexMerge.Run] = []
        var start = names.lowerBound
        while let (name, bytes) = try statement.bind(start, names.upperBound).first({
            (RunBlockID(rawValue: $0.int(0)), $0.bytes(1))
        }) {
            start = name.next.rawValue  // All of a block may have been taken from other runs.
            var block = RunBlock(bytes: bytes)
            while let entry = try block.next() {
                guard place < entry.place else { continue }
                runs.append(IndexMerge.Run(name: name, block: block, first: entry))
                start = name.nextRun.rawValue
                break
            }
        }
        return IndexMerge(of: index, behind: place, runs)
    }

    private func runBlock(_ name: RunBlockID) throws(StoreError) -> RunBlock? {
        try connection.statement("SELECT entries FROM index_runs WHERE id = ?")
            .bind(name.rawValue).first { RunBlock(bytes: $0.bytes(0)) }
    }
}
