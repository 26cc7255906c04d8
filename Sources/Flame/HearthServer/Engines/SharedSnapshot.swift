package import HearthFirestore
import HearthModel
import HearthThreads
package import HearthWire
import Synchronization

/// A snapshot on the way to any number of listeners, encoded once for all listeners.
///
/// The first event loop that needs a frame makes the frame, and all event loops share the frame.
/// The readers of a large snapshot encode the next frame only when they write the frame, so that no
/// reader holds an event loop for the whole snapshot. A listener that has fallen behind takes the
/// whole state instead of the difference; listeners share the frames of the whole state likewise.
package final class SharedSnapshot: Sendable {
    /// What it shows.
    package let snapshot: ViewSnapshot

    /// What of a snapshot its reader has not got yet.
    package enum Form: Hashable, Sendable {
        /// For a listener that has the snapshot's base.
        case difference
        /// For a listener that has nothing, or something else than the base.
        case whole
        /// For a one-time read.
        case answer
    }

    private let encodings = Mutex<[Form: EncodedFrames<SnapshotParts>]>([:])
    private let differenceSize = FoundCount()
    private let wholeSize = FoundCount()
    private let companion = WrittenOnce()

    /// Shares a snapshot.
    package init(_ snapshot: ViewSnapshot) {
        self.snapshot = snapshot
    }

    /// What another protocol than ours keeps for all of the snapshot's listeners.
    ///
    /// The companion lives as long as the snapshot, so a snapshot has companions of one kind only.
    /// Of several event loops that make one at the same time all get the first.
    package func companion<Companion: AnyObject & Sendable>(_ make: () -> Companion) -> Companion {
        companion.object(Companion.self) ?? companion.write(make())
    }

    /// Whether a listener needs no earlier snapshot.
    package var isWhole: Bool { snapshot.base == nil }

    /// How many documents the difference names; 1 for a difference of the flags alone.
    var namedCount: Int { max(1, snapshot.changes.count + snapshot.refreshed.count) }

    /// How much is kept for a listener that has the snapshot's base, until it is written. O(changes),
    /// once for all who get it.
    package var differenceByteCount: Int {
        if isWhole { return wholeByteCount }
        return differenceSize.value {
            let refreshed = snapshot.refreshed.reduce(0) {
                $0 + (snapshot.documents[$1]?.byteCountBound ?? 0)
            }
            return snapshot.changes.reduce(Self.baseByteCount + refreshed) {
                $0 + $1.document.byteCountBound
            }
        }
    }

    /// How much is kept for one that gets the whole state. O(documents), once for all who get it.
    package var wholeByteCount: Int {
        wholeSize.value {
            snapshot.documents.documents.reduce(0) { $0 + $1.byteCountBound }
        }
    }

    /// Bytes of a difference besides its documents: flags, and the parts of the result's trees that no
    /// other snapshot has.
    private static let baseByteCount = 1 << 10

    /// The same snapshot with the rejected writes of the snapshots that a listener missed.
    ///
    /// The new snapshot is not shared, because two listeners hardly miss the same snapshots.
    func afterMissing(_ missed: [RejectedWrite]) -> SharedSnapshot {
        if missed.isEmpty { return self }
        var snapshot = snapshot
        snapshot.rejectedWrites = missed.followed(by: snapshot.rejectedWrites)
        return SharedSnapshot(snapshot)
    }

    /// A frame of a form by the frame's index; `nil` behind the last frame.
    ///
    /// The call encodes the frame unless another listener's call has encoded the frame before.
    ///
    /// - Parameters:
    ///   - index: The frame's number in the form, from 0.
    ///   - form: What the listener has already.
    ///   - codec: The codec of the listener's session.
    /// - Throws: `WireError` if the snapshot cannot be encoded.
    package func frame(
        _ index: Int, of form: Form, _ codec: WireCodec
    ) throws(WireError) -> SharedFrame? {
        let form = form == .whole && isWhole ? .difference : form
        return try encodings.withLock { encodings throws(WireError) -> SharedFrame? in
            try encodings[form, default: EncodedFrames(parts(of: form, codec))].frame(index)
        }
    }

    private func parts(of form: Form, _ codec: WireCodec) -> SnapshotParts {
        switch form {
        case .difference:
            SnapshotParts(of: Event.Snapshot(differenceOf: snapshot), isAnswer: false, codec)
        case .whole: SnapshotParts(of: Event.Snapshot(wholeOf: snapshot), isAnswer: false, codec)
        case .answer: SnapshotParts(of: Event.Snapshot(wholeOf: snapshot), isAnswer: true, codec)
        }
    }
}

extension SharedSnapshot: Equatable {
    package static func == (lhs: SharedSnapshot, rhs: SharedSnapshot) -> Bool { lhs === rhs }
}

extension Event.Snapshot {
    /// The whole state that a view's snapshot shows.
    package init(wholeOf snapshot: ViewSnapshot) {
        self.init(
            id: snapshot.id.rawValue, base: nil,
            documents: snapshot.documents.documents.map { .init($0, in: snapshot) },
            flags: Event.SnapshotFlags(snapshot))
    }

    /// The difference of a view's snapshot from its base, or the whole state if it has none.
    ///
    /// The difference lists documents with only a changed flag even if the listener shall not see
    /// such changes, because the client's picture must stay equal to the engine's picture.
    package init(differenceOf snapshot: ViewSnapshot) {
        guard let base = snapshot.base else {
            self.init(wholeOf: snapshot)
            return
        }
        var documents: [Event.ListedDocument] = []
        var removed: [DocumentKey] = []
        for change in snapshot.changes {
            switch change.kind {
            case .removed: removed.append(change.document.key)
            case .added, .modified, .metadata:
                documents.append(.init(change.document, in: snapshot))
            }
        }
        for key in snapshot.refreshed {
            if let document = snapshot.documents[key] {
                documents.append(.init(document, in: snapshot))
            }
        }
        self.init(
            id: snapshot.id.rawValue, base: base.rawValue, documents: documents, removed: removed,
            flags: Event.SnapshotFlags(snapshot))
    }
}

extension Event.ListedDocument {
    /// An acknowledged write counts as pending only where its local state was shown before.
    init(_ document: Document, in snapshot: ViewSnapshot) {
        self.init(
            document, hasPendingWrites: snapshot.mutatedKeys.contains(document.key))
    }
}

extension Event.SnapshotFlags {
    init(_ snapshot: ViewSnapshot) {
        self.init(
            isFromCache: snapshot.isFromCache, hasPendingWrites: snapshot.hasPendingWrites,
            excludesMetadataChanges: snapshot.excludesMetadataChanges,
            rejectedWrites: snapshot.rejectedWrites, changeNumber: snapshot.changeNumber)
    }
}

extension Document {
    /// The most bytes that it takes on the wire. O(parts).
    fileprivate var byteCountBound: Int {
        256 + key.path.string.utf8.count + fields.byteCountBound
    }
}
