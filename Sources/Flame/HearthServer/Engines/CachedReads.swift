package import HearthFirestore
package import HearthModel
package import HearthWire
import Synchronization

/// Hot documents as the cache alone tells them: event loops answer from them without a turn.
///
///     loop       > answer(to:)            a get of one document, source cache, as a frame
///                > documents(_:)          documents by name, source cache
///     executor   > update(changes, reads) after each commit, before anybody hears of it
///     reader     > `SharedReads`          the same answers, in the memory of the reader's process
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
        /// Whether the database is one of many, with a small memory file for its readers.
        package var isOneOfMany: Bool

        /// Bounds the two memories.
        ///
        /// - Parameters:
        ///   - frameByteCountMax: Bytes of names and frames.
        ///   - documentByteCountMax: Bytes of documents, about.
        ///   - isOneOfMany: Whether the database is one of many, with a small memory file for its
        ///     readers.
        package init(
            frameByteCountMax: Int, documentByteCountMax: Int, isOneOfMany: Bool = false
        ) {
            self.frameByteCountMax = frameByteCountMax
            self.documentByteCountMax = documentByteCountMax
            self.isOneOfMany = isOneOfMany
        }

        /// Some ten thousand small documents as frames, and as many as documents.
        package static let large = Size(
            frameByteCountMax: 16 << 20, documentByteCountMax: 16 << 20)
        /// The same of a database that is one of many.
        package static let small = Size(
            frameByteCountMax: 2 << 20, documentByteCountMax: 1 << 20, isOneOfMany: true)

        /// Bytes of both.
        package var byteCountMax: Int { frameByteCountMax + documentByteCountMax }

        /// Bytes of both, and of the memory file for readers.
        ///
        /// - Parameter configured: `limits.sharedReadByteCount`.
        package func byteCountMax(sharing configured: Int) -> Int {
            byteCountMax + SharedReads.byteCount(configured, isSmall: isOneOfMany)
        }
    }

    fileprivate struct State {
        /// Bodies by the full name of the document, as a request has it.
        var frames: Generations<[UInt8], Frame>
        var documents: Generations<DocumentKey, Document>
        /// The answers for the readers' own processes.
        var shared: SharedReads
        /// Up to when the backend has told the engine, as of the last commit.
        var heard = SnapshotVersion.zero
        /// The greatest number of a change that the store has told.
        var lastChange: UInt64 = 0

        init(_ size: Size) {
            frames = Generations(byteCountMax: size.frameByteCountMax)
            documents = Generations(byteCountMax: size.documentByteCountMax)
            shared = SharedReads(isSmall: size.isOneOfMany)
        }
    }

    /// About how many bytes a document takes beside its fields, and how many times more bytes the
    /// fields take in memory than on the wire.
    private static let documentByteCount = 400, fieldFactor = 2
    /// Documents of one reading that are worth remembering.
    private static let readingCountMax = 100

    private let codec: WireCodec
    /// Bytes of a full name before the document's path.
    private let prefixByteCount: Int
    private let state: Mutex<State>

    /// Remembers nothing yet.
    package init(database: DatabaseID, size: Size = .large) {
        codec = WireCodec(database: database)
        prefixByteCount = database.documentsName.utf8.count + 1
        state = Mutex(State(size))
    }

    /// Bytes of the answers and documents that are kept now.
    package var byteCount: Int {
        state.withLock { $0.frames.byteCount + $0.documents.byteCount }
    }

    /// The answer to a get of one document from the cache alone, if it is remembered.
    ///
    /// - Parameter body: Of a frame of the kind get.
    /// - Complexity: O(body).
    package func answer(to body: RawSpan) -> Frame? {
        guard let name = CachedGet.documentName(in: body) else { return nil }
        return state.withLock { state in
            let frame = state.frames.find(name)
            // The next time the reader finds it without asking.
            if let frame, state.shared.isOut {
                name.withUnsafeBytes {
                    state.shared.insertIfAbsent(frame, of: path(in: $0))
                }
            }
            return frame
        }
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
            state.note(changes)
            for (name, frame) in frames {
                state.frames.insert(
                    frame, of: name, byteCount: name.count + frame.body.count)
                if state.shared.isOut {
                    name.withUnsafeBytes { state.shared.insert(frame, of: path(in: $0)) }
                }
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
            $0.shared.erase()
            // The same documents are another user's now, or another store counts anew.
            $0.shared.tell(change: 0)
        }
    }

    /// The document's path in the bytes of its full name.
    private func path(in name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: name.dropFirst(prefixByteCount))
    }
}

/// The memory file for readers in other processes.
extension CachedReads {
    /// Gives a session the memory file; it may be handed to the peer only if the peer is found to have
    /// the right behind this call, and to have lost it by no `endSharing`.
    ///
    /// - Parameters:
    ///   - configured: `limits.sharedReadByteCount`.
    ///   - whenEnded: Called once, when the file ends before `leaveSharing`; on any thread.
    /// - Returns: The file; `nil` if there can be none.
    package func share(
        with session: UInt64, _ peer: Peer, configured: Int,
        whenEnded: @escaping @Sendable () -> Void
    ) -> SharedReadFile? {
        state.withLock {
            $0.shared.enter(session, peer, configured: configured, whenEnded: whenEnded)
        }
    }

    /// A session that had the file is over.
    package func leaveSharing(_ session: UInt64) {
        state.withLock { $0.shared.leave(session) }
    }

    /// Ends the file unless all who were handed it may still read everything, and the file has the size
    /// that counts now. Returns when nobody can read anything there any more.
    ///
    /// - Parameter configured: `limits.sharedReadByteCount`; `nil` if the size has not changed.
    package func endSharing(
        unlessConfigured configured: Int? = nil, _ isAllowed: (Peer) -> Bool
    ) {
        let calls = state.withLock { state in
            state.shared.isHeldRightly(configured, isAllowed) ? [] : state.shared.end()
        }
        for call in calls { call() }
    }

    /// Lets readers believe the file for a while, since the daemon was just found alive.
    package func renewSharing() { state.withLock { $0.shared.renew() } }

    /// Whether any session has the file.
    package var isShared: Bool { state.withLock { $0.shared.isOut } }
}

extension CachedReads.State {
    /// A number that was told before would name two states.
    fileprivate mutating func note(_ changes: DocumentChanges) {
        guard !changes.isEmpty else { return }
        shared.tell(change: changes.number > lastChange ? changes.number : 0)
        lastChange = max(lastChange, changes.number)
    }

    fileprivate mutating func forget(_ changes: DocumentChanges, _ codec: WireCodec) {
        if changes.isAll {
            frames.removeAll()
            documents.removeAll()
            shared.removeAll()
        } else {
            for key in changes.keys {
                shared.remove(key)
                if !frames.isEmpty { frames.remove(codec.nameBytes(of: key)) }
                documents.remove(key)
            }
        }
    }
}
