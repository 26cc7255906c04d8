import HearthEngine
import HearthModel
import HearthWire

/// What operators are told of documents and sessions.
extension Samples {
    static func history() throws -> HistoryPage {
        let write = HistoryWrite(
            batch: BatchID(7), user: UserID("ada"),
            writer: Writer(uid: 1, gid: 2, pid: 3, unit: "kiosk.service", program: nil))
        let error = HearthError(code: .aborted, message: "Taken back.")
        let key = try key("a/b")
        var local = try document("a/b", everyValue)
        local.markLocalMutations()
        let remote = try document("a/b")
        let version = SnapshotVersion(Timestamp(seconds: 5, nanoseconds: 6))
        let steps: [(HistoryEvent, Document, Document?)] = [
            (.withdrawn(write, error), .invalid(key), nil),
            (.rejected(write, error), .missing(key, at: version), nil),
            (.committed(write), .unknown(key, at: version), nil), (.edited(write), local, nil),
            (.heard, local, remote), (.accepted(write), local, nil), (.known, remote, nil),
        ]
        var entries: [HistoryEntry] = []
        for (number, step) in steps.enumerated() {
            var entry = HistoryEntry(
                notedAt: Timestamp(seconds: Int64(number), nanoseconds: 9), event: step.0,
                local: step.1, remote: step.2)
            entry.number = Int64(9 - number)
            entries.append(entry)
        }
        return HistoryPage(entries: entries, hasMore: true)
    }

    static func description() throws -> DocumentDescription {
        var remote = try document("a/b")
        remote.readAt = SnapshotVersion(Timestamp(seconds: 9, nanoseconds: 1))
        return DocumentDescription(remote, isInTarget: true, batches: [try batch()])
    }

    /// All that operators may ask for at once.
    static var inspection: Inspection {
        let process = Writer(uid: 1, gid: 2, pid: 3, unit: "a.service", program: nil)
        var inspection = Inspection()
        inspection.metrics = "hearth_info 1\n"
        inspection.clients = [
            Inspection.Client(
                session: 4, process: process, database: .firestore(database), listenerCount: 5,
                age: .seconds(6)),
            Inspection.Client(
                session: 7, process: process, database: nil, listenerCount: 0, age: .zero),
        ]
        inspection.clients[0].heldByteCount = 1 << 40
        inspection.clients[0].traffic.writeCount = 8
        inspection.clients[0].traffic.receivedByteCount = 1 << 33
        inspection.clients[0].traffic.sentByteCount = 1 << 34
        inspection.listeners = [
            Inspection.Listener(
                session: 4, process: process, database: .firestore(database), query: "rooms")
        ]
        inspection.databases =
            [report]
            + (InstanceSamples.instance.map { [StatusReport(database: .realtime($0))] } ?? [])
        var step = HourStep(endedAt: Timestamp(seconds: 5, nanoseconds: 6), seconds: 10.5)
        step.queueBatchCount = 1
        (step.acceptedCount, step.committedCount) = (2, 3)
        (step.rejectedCount, step.snapshotCount) = (4, .max)
        step.commits = HourStep.Sum(count: 6, seconds: 0.7)
        step.storeCommits = HourStep.Sum(count: 8, seconds: 0.9)
        step.longestSeconds = 0.005
        var uncounted = HourStep(endedAt: Timestamp(seconds: 7, nanoseconds: 0), seconds: 1)
        uncounted.queueBatchCount = nil
        inspection.hour = [
            step, HourStep(endedAt: Timestamp(seconds: 7, nanoseconds: 0), seconds: 1), uncounted,
        ]
        return inspection
    }

    /// A daemon's state in which every part is told.
}
