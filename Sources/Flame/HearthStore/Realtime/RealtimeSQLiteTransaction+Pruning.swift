package import HearthEngine
package import HearthModel
package import HearthRealtime
import HearthSQLite

/// Pruning of large nodes, some rows of `server_nodes` at a time.
extension RealtimeSQLiteTransaction {
    /// The first rows that a pruning takes away.
    private struct FirstRows {
        /// Their places.
        var places: [RealtimePath] = []
        /// Whether the rows were more than there was room for.
        var isCut = false
    }

    /// How many rows in a row may have to be read besides the rows that are found: priorities of the
    /// places above a found row, and a chunk on the way to a kept place.
    private static let besideCountMax = 2 * RealtimePath.depthMax + 2

    package func pruneServerNode(
        at path: RealtimePath, except kept: [RealtimePath], within room: inout PruneRoom
    ) throws(StoreError) -> Bool {
        let rows = try firstRows(at: ServerPlace(path), except: kept, within: &room)
        guard rows.isCut else {
            try pruneServerNode(at: path, except: kept)
            return true
        }
        // Each row is told to the log by itself, so that no log tells of more than is done.
        for place in rows.places { try pruneServerNode(at: place, except: []) }
        return false
    }

    /// The rows of a place and below, without rows of kept places and rows that hold kept places.
    ///
    /// Takes the rows from the room.
    private func firstRows(
        at target: ServerPlace, except paths: [RealtimePath], within room: inout PruneRoom
    ) throws(StoreError) -> FirstRows {
        var rows = FirstRows()
        if paths.contains(target.path) { return rows }
        if try isInChunk(target) {
            room.take(byteCount: StoreLimits.chunkByteCountMax)
            return rows
        }
        var begin = PlaceBytes.begin(below: target.bytes)
        let kept = paths.filter(target.path.contains).sorted().map { ServerPlace($0) }
        for place in kept where compareBytes(place.bytes, begin) >= 0 {
            try add(&rows, from: begin, to: place.bytes, within: &room)
            if rows.isCut { return rows }
            begin = PlaceBytes.end(of: place.bytes)
        }
        try add(&rows, from: begin, to: PlaceBytes.end(of: target.bytes), within: &room)
        return rows
    }

    /// Adds the rows between two places, as many as there is room for.
    ///
    /// - Parameter end: A kept place, whose way has rows that hold the kept place; or behind all places.
    private func add(
        _ rows: inout FirstRows, from begin: [UInt8], to end: [UInt8],
        within room: inout PruneRoom
    ) throws(StoreError) {
        let statement = try connection.statement(
            """
            SELECT place, length(node) FROM server_nodes WHERE place >= ? AND place < ?
            ORDER BY place LIMIT ?
            """)
        let countMax = max(room.rowCount, 0) + Self.besideCountMax
        var (found, left) = (rows, room)
        var count = 0
        try statement.bind(begin, end, countMax).forEach { row throws(StoreError) in
            count += 1
            let byteCount = Int(row.int(1))
            let place = try row.withBytes(0) { bytes throws(StoreError) -> RealtimePath? in
                // What holds a kept place stays for the end of the pruning.
                try end.starts(with: bytes) ? nil : PlaceBytes.place(ofRow: bytes)
            }
            guard let place else { return }
            guard !left.isUsedUp else { return found.isCut = true }
            found.places.append(place)
            left.take(byteCount: byteCount)
        }
        if count == countMax { found.isCut = true }
        (rows, room) = (found, left)
    }
}
