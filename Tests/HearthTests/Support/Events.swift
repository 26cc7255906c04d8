import HearthEngine
import HearthModel
import HearthWire

@testable import Hearth

/// What a daemon says in these tests.
enum Events {
    static func welcome(database: DatabaseID = FakeDaemon.database) -> Welcome {
        Welcome(
            version: 1, sessionID: 1, database: .firestore(database), daemonVersion: "test",
            limits: Welcome.Limits(listenerCountMax: 10, requestCountMax: 10))
    }

    static func welcome(to engine: EngineKey) -> Welcome {
        var welcome = welcome()
        welcome.database = engine
        return welcome
    }

    static func listed(
        _ path: String, _ fields: MapValue, isPending: Bool = false
    ) throws -> Event.ListedDocument {
        Event.ListedDocument(
            .found(
                try DocumentKey(parsing: path),
                at: SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0)), fields),
            hasPendingWrites: isPending)
    }

    static func snapshot(
        _ id: UInt64, base: UInt64? = nil, _ documents: [Event.ListedDocument] = [],
        removed: [String] = [], isFromCache: Bool = false, isPending: Bool = false,
        hasMore: Bool = false
    ) throws -> Event.Snapshot {
        Event.Snapshot(
            id: id, base: base, documents: documents,
            removed: try removed.map { try DocumentKey(parsing: $0) },
            flags: Event.SnapshotFlags(
                isFromCache: isFromCache, hasPendingWrites: isPending,
                excludesMetadataChanges: false),
            hasMore: hasMore)
    }

    static func committed(_ sequence: UInt64) -> Event {
        .writeCommitted(
            Event.WriteCommitted(
                sequence: sequence, batch: BatchID(Int64(sequence)),
                committedAt: SnapshotVersion(Timestamp(seconds: 9, nanoseconds: 0))))
    }

    static func accepted(_ sequence: UInt64) -> Event {
        .writeAccepted(
            Event.WriteAccepted(sequence: sequence, batch: BatchID(Int64(sequence))))
    }
}

/// A `Timestamp` of the model, for tests that see both.
typealias Timestamp = HearthModel.Timestamp
