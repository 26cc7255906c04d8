package import HearthFirestore
package import HearthModel
package import HearthWire
import Synchronization

/// Hot documents as the cache alone tells them: event loops answer from them without a turn.
///
///     loop       > answer(to:)            a get of one document, source cache, as a frame
///                > documents(_:)          documents by name, source cache
///     executor   > update(changes, reads) after each commit, before anybody hears of it
///
/// An answer is what the last commit left: whatever a session has been told of came with a commit,
/// and what that commit changed was forgotten here before the session was told.
package final class CachedReads: AnswerMemory {
    /// What a turn read from the cache alone.
    package typealias Reading = DocumentReading

    /// How much is kept.
    package struct Size: Hashable, Sendable {
        /// Bytes of names and frames.
        package var frameByteCountMax: Int
        /// Bytes of documents, about.
        package var documentByteCountMax: Int

        /// Bounds the two memories.
        package init(frameByteCountMax: Int, documentByteCountMax: Int) {
            self.frameByteCountMax = frameByteCountMax
            self.documentByteCountMax = documentByteCountMax
        }

        /// Some ten thousand small documents as frames, and as many as documents.
        package static let large = Size(
            frameByteCountMax: 16 << 20, documentByteCountMax: 16 << 20)
        /// The same of a database that is one of many.
        package static let small = Size(frameByteCountMax: 2 << 20, documentByteCountMax: 1 << 20)

        /// Bytes of both.
        package var byteCountMax: Int { frameByteCountMax + documentByteCountMax }
    }

    fileprivate struct State {
        /// Bodies by the full name of the document, as a request has it.
        var frames: Generations<[UInt8], Frame>
        var documents: Generations<DocumentKey, Document>
        /// Up to when the backend has told the engine, as of the last commit.
        var heard = SnapshotVersion.zero

        init(_ size: Size) {
            frames = Generations(byteCountMax: size.frameByteCountMax)
            documents = Generations(byteCountMax: size.documentByteCountMax)
        }
    }

    /// What a document takes beside its fields as the wire has them, and how much more these take in
    /// memory, about.
    private static let documentByteCount = 400, fieldFactor = 2
    /// Documents of one reading that are worth remembering.
    private static let readingCountMax = 100

    private let codec: WireCodec
    private let state: Mutex<State>

    /// Remembers nothing yet.
    package init(database: DatabaseID, size: Size = .large) {
        codec = WireCodec(database: database)
        state = Mutex(State(size))
    }

    /// Bytes of what is kept now.
    package var byteCount: Int {
        state.withLock { $0.frames.byteCount + $0.documents.byteCount }
    }

    /// The answer to a get of one document from the cache alone, if it is remembered.
    ///
    /// - Parameter body: Of a frame of the kind get.
    /// - Complexity: O(body).
    package func answer(to body: RawSpan) -> Frame? {
        guard let name = CachedGet.documentName(in: body) else { return nil }
        return state.withLock { $0.frames.find(name) }
    }

    /// The answer to a read of documents from the cache alone, if all of them are remembered.
    ///
    /// - Returns: The documents in the order asked, each found or missing.
    /// - Complexity: O(keys).
    package func documents(_ keys: [DocumentKey]) -> DocumentsRead? {
        state.withLock { state in
            var found: [Document] = []
            found.reserveCapacity(keys.count)
            for key in keys {
                guard let document = state.documents.find(key) else { return nil }
                found.append(document)
            }
            return DocumentsRead(documents: found, isFromCache: true, readAt: state.heard)
        }
    }

    package func update(_ changes: DocumentChanges, _ readings: [Reading]) {
        var frames: [(name: [UInt8], frame: Frame)] = []
        var documents: [Document] = []
        for reading in readings {
            switch reading {
            case .snapshot(let key, let snapshot):
                guard !changes.contains(key) else { continue }
                let event = Event.answer(Event.Snapshot(wholeOf: snapshot))
                // What takes many frames, or cannot be encoded, is not worth remembering.
                guard let made = try? codec.frames(of: event), made.count == 1 else { continue }
                frames.append((codec.nameBytes(of: key), made[0]))
            case .documents(let read):
                documents += read.prefix(Self.readingCountMax).filter {
                    ($0.isFound || $0.isMissing) && !changes.contains($0.key)
                }
            }
        }
        if changes.isEmpty && frames.isEmpty && documents.isEmpty && changes.heard == nil { return }
        state.withLock { state in
            if let heard = changes.heard { state.heard = heard }
            state.forget(changes, codec)
            for (name, frame) in frames {
                state.frames.insert(
                    frame, of: name, byteCount: name.count + frame.body.count)
            }
            for document in documents {
                let byteCount =
                    Self.documentByteCount + document.fields.byteCountBound * Self.fieldFactor
                state.documents.insert(document, of: document.key, byteCount: byteCount)
            }
        }
    }

    package func forgetAll() {
        state.withLock {
            $0.frames.removeAll()
            $0.documents.removeAll()
        }
    }
}

extension CachedReads.State {
    fileprivate mutating func forget(_ changes: DocumentChanges, _ codec: WireCodec) {
        if changes.isAll {
            frames.removeAll()
            documents.removeAll()
        } else {
            for key in changes.keys {
                if !frames.isEmpty { frames.remove(codec.nameBytes(of: key)) }
                documents.remove(key)
            }
        }
    }
}
