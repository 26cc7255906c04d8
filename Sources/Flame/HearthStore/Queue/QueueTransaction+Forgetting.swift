import HashTreeCollections
import HearthEngine
import HearthModel
import HearthSQLite

/// Forgets answered writes in slices, along the stages of `Forgetting`.
extension QueueTransaction {
    /// Forgets answered writes until a time, the oldest first.
    ///
    /// - Returns: Whether there are more.
    func forget(_ bounds: RecordBounds, until deadline: ContinuousClock.Instant)
        throws(StoreError) -> Bool
    {
        while try forgetMore(bounds) {
            if ContinuousClock.now >= deadline { return true }
        }
        repeat {
            try forgetSome(bounds)
            if case .idle = forgetting.stage { return false }
        } while ContinuousClock.now < deadline
        return true
    }

    private func forgetSome(_ bounds: RecordBounds) throws(StoreError) {
        switch forgetting.stage {
        case .idle:
            guard forgetting.records.exceeds(bounds.countMax) else {
                forgetting.stage = .records(before: nil)
                return
            }
            forgetting.records.beginCounting()
            forgetting.stage = .counting(downTo: .end, count: 0)
        case .counting(let place, let count):
            try countSome(downTo: place, count, bounds.countMax)
        case .records(let place):
            try forgetRecords(before: place, notedBefore: TimeBytes.bytes(of: bounds.notedBefore))
            if case .idle = forgetting.stage, forgetting.clients.exceeds(bounds.clientCountMax) {
                forgetting.clients.beginCounting()
                forgetting.stage = .sampling(behind: .begin, count: 0, times: [])
            }
        case .sampling(let place, let count, let times):
            try sampleClients(behind: place, count, times, bounds.clientCountMax)
        case .clients(let place, let time, let count):
            try forgetClients(behind: place, notedUpTo: time, count)
        }
    }

    // MARK: Records

    /// Counts a few records.
    ///
    /// Writes answered during the count only raise the number of records that stay.
    private func countSome(downTo place: RecordPlace, _ count: Int, _ countMax: Int)
        throws(StoreError)
    {
        let fewCount = min(countMax - count, MaintenanceLimits.countedCount)
        guard fewCount > 0 else {
            forgetting.records.counted(countMax)
            forgetting.stage = .records(before: place)
            return
        }
        let statement = try connection.statement(
            """
            SELECT noted_at, uid, client_high, client_low, sequence FROM write_records
            WHERE outcome <> 0
                AND (noted_at, uid, client_high, client_low, sequence) < (?, ?, ?, ?, ?)
            ORDER BY noted_at DESC, uid DESC, client_high DESC, client_low DESC, sequence DESC
            LIMIT 1 OFFSET ?
            """)
        let found = try statement.bind(
            place.notedAt, place.client.uid, place.client.high, place.client.low, place.sequence,
            fewCount - 1
        ).first(Self.place)
        if let found {
            forgetting.stage = .counting(downTo: found, count: count + fewCount)
        } else {
            forgetting.records.counted(count + fewCount)
            forgetting.stage = .records(before: nil)
        }
    }

    private func forgetRecords(before place: RecordPlace?, notedBefore time: [UInt8])
        throws(StoreError)
    {
        let statement = try connection.statement(
            """
            SELECT noted_at, uid, client_high, client_low, sequence FROM write_records
            WHERE outcome <> 0
            ORDER BY noted_at, uid, client_high, client_low, sequence LIMIT ?
            """)
        let old = try statement.bind(MaintenanceLimits.recordCount).map(Self.place).prefix {
            found in
            found.notedAt.lexicographicallyPrecedes(time) || place.map { found < $0 } ?? false
        }
        if old.isEmpty { forgetting.stage = .idle }
        // The records of a client are neighbours, mostly, and in the order of their numbers.
        var last: RecordPlace?
        for record in old {
            if let last, last.client != record.client { try note(last) }
            if last?.client != record.client || last?.sequence ?? .min < record.sequence {
                last = record
            }
        }
        if let last { try note(last) }
        for record in old { try forget(record) }
    }

    /// Notes that a client's write is forgotten.
    private func note(_ record: RecordPlace) throws(StoreError) {
        let statement = try connection.statement(
            """
            INSERT INTO forgotten_writes VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (uid, client_high, client_low) DO UPDATE SET
                below = max(below, excluded.below), noted_at = excluded.noted_at
            """)
        try statement.bind(
            record.client.uid, record.client.high, record.client.low,
            record.sequence == .max ? .max : record.sequence + 1, record.notedAt
        ).run()
        memory.records.prunedBelow[record.client.client] = nil
        forgetting.clients.add(1)
    }

    private func forget(_ record: RecordPlace) throws(StoreError) {
        let statement = try connection.statement(
            """
            DELETE FROM write_records
            WHERE uid = ? AND client_high = ? AND client_low = ? AND sequence = ?
            """)
        try statement.bind(
            record.client.uid, record.client.high, record.client.low, record.sequence
        ).run()
    }

    private static func place(in row: borrowing Row) -> RecordPlace {
        RecordPlace(
            notedAt: row.bytes(0),
            client: ClientPlace(uid: row.int(1), high: row.int(2), low: row.int(3)),
            sequence: row.int(4))
    }

    // MARK: Clients

    private func clients(behind place: ClientPlace) throws(StoreError) -> [(
        place: ClientPlace, notedAt: Timestamp
    )] {
        let statement = try connection.statement(
            """
            SELECT uid, client_high, client_low, noted_at FROM forgotten_writes
            WHERE (uid, client_high, client_low) > (?, ?, ?)
            ORDER BY uid, client_high, client_low LIMIT ?
            """)
        return try statement.bind(
            place.uid, place.high, place.low, MaintenanceLimits.countedCount
        ).map { row throws(StoreError) in
            (
                ClientPlace(uid: row.int(0), high: row.int(1), low: row.int(2)),
                try row.time(3)
            )
        }
    }

    /// Counts clients, and samples the times of their notes to estimate the age of the oldest.
    private func sampleClients(
        behind place: ClientPlace, _ count: Int, _ times: [Timestamp], _ countMax: Int
    ) throws(StoreError) {
        let found = try clients(behind: place)
        let stride = max(1, countMax / MaintenanceLimits.countedCount)
        var times = times
        for (index, client) in found.enumerated() where (count + index) % stride == 0 {
            times.append(client.notedAt)
        }
        let count = count + found.count
        if let last = found.last {
            forgetting.stage = .sampling(behind: last.place, count: count, times: times)
            return
        }
        let excess = count - countMax
        forgetting.clients.counted(min(count, countMax))
        guard excess > 0 else {
            forgetting.stage = .idle
            return
        }
        times.sort()
        let time = times[min(times.count - 1, (excess - 1) / stride)]
        forgetting.stage = .clients(behind: .begin, notedUpTo: time, count: excess)
    }

    private func forgetClients(
        behind place: ClientPlace, notedUpTo time: Timestamp, _ count: Int
    ) throws(StoreError) {
        let found = try clients(behind: place)
        let old = found.filter { $0.notedAt <= time }.prefix(count)
        for client in old {
            let statement = try connection.statement(
                """
                DELETE FROM forgotten_writes WHERE uid = ? AND client_high = ? AND client_low = ?
                """)
            try statement.bind(client.place.uid, client.place.high, client.place.low).run()
            memory.records.prunedBelow[client.place.client] = nil
        }
        guard let last = found.last, old.count < count else {
            forgetting.clients.add(count - old.count)  // Of a sample's few that were younger.
            forgetting.stage = .idle
            return
        }
        forgetting.stage = .clients(behind: last.place, notedUpTo: time, count: count - old.count)
    }
}
