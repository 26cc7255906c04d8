import HashTreeCollections
import HearthFirestore
import HearthModel
import HearthServer

@testable import HearthGateway

/// A view over rooms, changed by hand: each change is a snapshot as the engine would tell it.
struct WatchedRooms {
    let query: Query
    private(set) var documents: DocumentSet
    /// The server's clock, in microseconds.
    private(set) var now: Int64 = 1_000
    /// The newest server time that the daemon has heard.
    private var heard: Int64 = 1_000
    private var lastID: UInt64 = 0
    private var isFromCache = false
    /// Rooms that left by writes which the backend has not confirmed.
    private var departed = DepartedKeys()

    init(_ query: Query = Query(path: .root.appending(Self.segment("rooms")))) {
        self.query = query
        documents = DocumentSet(order: query.order)
    }

    private static func segment(_ text: String) -> PathSegment {
        guard let segment = try? PathSegment(parsing: text) else {
            preconditionFailure("\(text) is no segment")
        }
        return segment
    }

    static func key(_ name: String) -> DocumentKey {
        guard let key = try? DocumentKey(parsing: "rooms/\(name)") else {
            preconditionFailure("\(name) is no name of a room")
        }
        return key
    }

    /// What a listener that has nothing gets.
    mutating func whole() -> ViewSnapshot {
        snapshot(base: nil, documents.documents.map { DocumentChange(.added, $0) })
    }

    /// Somebody else, or the answer to a write of ours, changes a room.
    mutating func commits(_ name: String, _ number: Int64 = 0) -> ViewSnapshot {
        tick()
        heard = now
        return change(committed(name, number))
    }

    /// A program of this machine changes a room, and the backend has not answered.
    mutating func writes(_ name: String, _ number: Int64 = 0) -> ViewSnapshot {
        tick()
        return change(pending(name, number))
    }

    /// A program of this machine sets rooms and takes out others by one write, and the backend has not
    /// answered.
    mutating func writes(
        _ names: [String], removing others: [String], _ number: Int64 = 0
    ) -> ViewSnapshot {
        tick()
        var changes: [DocumentChange] = []
        for key in others.map({ Self.key($0) }) {
            guard let old = documents[key] else { continue }
            documents.remove(key)
            departed.insert(key)
            changes.append(DocumentChange(.removed, old))
        }
        for name in names { changes.append(put(pending(name, number))) }
        return snapshot(base: lastID, changes)
    }

    /// The backend has committed such a write, and told of all that it changed.
    mutating func confirms(
        _ names: [String], removing others: [String], _ number: Int64 = 0
    ) -> ViewSnapshot {
        tick()
        heard = now
        let changes = names.map { put(committed($0, number)) }
        let gone = others.map { Self.key($0) }.filter { departed.remove($0) }
        var result = snapshot(base: lastID, changes)
        result.settledDepartures = gone
        result.missingKeys = gone
        return result
    }

    /// The backend has rejected such a write: the rooms are as before.
    ///
    /// - Parameter before: The rooms that were there before.
    mutating func rejects(_ names: [String], before: [Document]) -> ViewSnapshot {
        tick()
        let known = Set(before.map(\.key))
        var changes: [DocumentChange] = []
        for key in names.map({ Self.key($0) }) where !known.contains(key) {
            guard let old = documents[key] else { continue }
            documents.remove(key)
            changes.append(DocumentChange(.removed, old))
        }
        for document in before {
            if departed.remove(document.key) || documents[document.key] != document {
                changes.append(put(document))
            }
        }
        return snapshot(base: lastID, changes)
    }

    private func pending(_ name: String, _ number: Int64) -> Document {
        var document = Document.found(Self.key(name), at: .zero, ["n": .integer(number)])
        document.markLocalMutations()
        document.promisedAt = Timestamp(seconds: 0, nanoseconds: Int32(now * 1_000 + 1))
        return document
    }

    private func committed(_ name: String, _ number: Int64) -> Document {
        .found(
            Self.key(name), at: SnapshotVersion(Timestamp(microseconds: now)),
            ["n": .integer(number)])
    }

    /// The backend deletes a room, or the room matches no more.
    mutating func removes(_ name: String, isMissing: Bool = true) -> ViewSnapshot {
        guard let old = documents[Self.key(name)] else {
            preconditionFailure("There is no room \(name)")
        }
        tick()
        heard = now
        documents.remove(old.key)
        var result = snapshot(base: lastID, [DocumentChange(.removed, old)])
        if isMissing { result.missingKeys = [old.key] }
        return result
    }

    /// The backend is reached, or no more.
    mutating func becomes(isFromCache: Bool) -> ViewSnapshot {
        tick()
        self.isFromCache = isFromCache
        return snapshot(base: lastID, [])
    }

    /// A write is answered with an error: the room is as before.
    mutating func reverts(to document: Document?, _ name: String) -> ViewSnapshot {
        guard let document else { return removes(name, isMissing: false) }
        tick()
        return change(document)
    }

    private mutating func change(_ document: Document) -> ViewSnapshot {
        let change = put(document)
        return snapshot(base: lastID, [change])
    }

    private mutating func put(_ document: Document) -> DocumentChange {
        let kind: DocumentChange.Kind = documents.contains(document.key) ? .modified : .added
        documents.insert(document)
        departed.remove(document.key)
        return DocumentChange(kind, document)
    }

    private mutating func snapshot(base: UInt64?, _ changes: [DocumentChange]) -> ViewSnapshot {
        lastID += 1
        var result = ViewSnapshot(
            query: query, id: SnapshotID(lastID), base: base.map { SnapshotID($0) },
            documents: documents, changes: changes,
            mutatedKeys: TreeSet(documents.documents.filter(\.hasLocalMutations).map(\.key)),
            isFromCache: isFromCache, syncStateChanged: false, excludesMetadataChanges: false,
            hasCachedResults: true)
        result.readAt = SnapshotVersion(Timestamp(microseconds: heard))
        result.departedKeys = departed
        return result
    }

    private mutating func tick() { now += 10 }
}

extension ListenStream {
    /// Takes a snapshot that no other stream gets.
    mutating func received(_ snapshot: ViewSnapshot, of query: Int, for id: WireTargetID) {
        received(SharedSnapshot(snapshot), of: query, for: id)
    }
}
