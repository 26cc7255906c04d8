import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthSQLite

/// What the intake log adds to what a database still has.
extension Salvage {
    /// Which records of the log count, and for what.
    private struct Place {
        /// The version that the database has; `nil` if the version is lost.
        let stored: StoreVersion?
        /// The version from which on the log tells all that happened; `nil` if there is none.
        let wholeFrom: StoreVersion?
        /// Whether there is no database at all.
        let isAlone: Bool

        /// Whether the database had what a record tells, before the damage.
        func isStored(_ version: StoreVersion) -> Bool { stored.map { version <= $0 } ?? false }

        /// Whether the log tells everything that happened behind a record.
        func isWhole(from version: StoreVersion) -> Bool {
            wholeFrom.map { version >= $0 } ?? false
        }
    }

    /// Takes the entries of the log, in the order of the records.
    mutating func take(
        _ log: SalvagedIntake, besides tables: SalvagedTables<Content>, _ content: Content
    ) {
        let stored = tables.counters?.version
        let last = max(log.lastVersion, stored ?? log.lastVersion)
        let isAlone =
            stored == nil && tables.batches.isEmpty && tables.queues.isEmpty
            && tables.records.isEmpty
        let place = Place(stored: stored, wholeFrom: log.runStart(upTo: last), isAlone: isAlone)
        if let stored { noteGaps(in: log, behind: stored) }
        for record in log.records {
            do throws(StoreError) {
                for entry in try content.salvagedEntries(from: record.bytes) {
                    take(entry, of: record.version, place)
                }
            } catch {
                lose("version \(record.version) of the intake log (\(error))")
            }
        }
    }

    private mutating func noteGaps(in log: SalvagedIntake, behind stored: StoreVersion) {
        var last = stored
        for record in log.records where record.version > stored {
            if record.version > last.next {
                hasGap = true
                lose("accepted writes between versions \(last) and \(record.version)")
            }
            last = record.version
        }
    }

    private mutating func take(
        _ entry: SalvagedEntry<Content>, of version: StoreVersion, _ place: Place
    ) {
        switch entry {
        case .batch(let batch): take(batch, of: version, place)
        case .left(let id): left.insert(id)  // No number is given out twice.
        case .terms(let found, let id):
            if !place.isStored(version) || logged.contains(id) { terms[id] = found }
        case .queue(let entry): take(entry, of: version, place)
        case .letter(let letter):
            let id = letter.salvagedBatch.head.id
            if !place.isStored(version) || place.isWhole(from: version) { letters[id] = letter }
        }
    }

    private mutating func take(
        _ entry: QueueIntakeEntry<Content.Outcome>, of version: StoreVersion, _ place: Place
    ) {
        switch entry {
        case .state(.sentUnanswered, let id, let user), .sent(let id, let user):
            sent[user] = max(sent[user] ?? .none, id)
        case .state(let state, let id, _):
            if !place.isStored(version) || logged.contains(id), let batch = queued[id] {
                queued[id] = batch.moved(to: batch.head.user, state)
            }
        case .record(let write, let record, let notedAt):
            take(record, of: write, at: notedAt, version, place)
        case .recordRemoved(let write):
            if !place.isStored(version) { records[write] = nil }
        case .answered(let write):
            if !place.isStored(version) { forgetAnswered(below: write) }
        case .deadLetterRemoved(let id): letters[id] = nil
        }
    }

    /// Takes a batch that the file lacks, if the batch is still queued.
    ///
    /// A batch is still queued if the log tells everything that happened to the batch later, or if
    /// the record of its write waits for an answer.
    private mutating func take(_ batch: Content.Batch, of version: StoreVersion, _ place: Place) {
        let id = batch.head.id
        guard queued[id] == nil else { return }
        let isQueued =
            (place.stored != nil && !place.isStored(version)) || place.isWhole(from: version)
            || pendingIDs.contains(id)
        if isQueued {
            queued[id] = batch
            logged.insert(id)
            if place.isStored(version) { restored.insert(id) }
        } else if place.isAlone {
            letters[id] = Content.Letter(
                salvaged: batch, error: Self.doubt, rejectedAt: batch.head.writtenAt,
                mayHaveBeenApplied: true)
        }
    }

    private static var doubt: HearthError {
        HearthError(
            code: .dataLoss,
            message:
                "The database was lost, and its intake log does not tell whether this was sent."
        )
    }

    private mutating func take(
        _ record: WriteRecord<Content.Outcome>, of write: WriteIdentity, at notedAt: Timestamp?,
        _ version: StoreVersion, _ place: Place
    ) {
        let isNews = place.stored != nil && !place.isStored(version)
        guard isNews || records[write] == nil || record.outcome != .pending else { return }
        if let known = records[write], known.record.outcome != .pending, !isNews { return }
        // A record that the database has forgotten since may call a batch waiting that has long
        // left its queue.
        let id = record.batch
        guard
            isNews || record.outcome != .pending || place.isWhole(from: version)
                || queued[id] != nil || letters[id] != nil
        else { return }
        let written = queued[record.batch]?.head.writtenAt
        records[write] = SalvagedRecord(
            record: record,
            notedAt: notedAt ?? written ?? Timestamp(seconds: 0, nanoseconds: 0))
    }

    private mutating func forgetAnswered(below write: WriteIdentity) {
        records = records.filter {
            $0.value.record.outcome == .pending || $0.key.uid != write.uid
                || $0.key.client != write.client || $0.key.sequence >= write.sequence
        }
    }
}
