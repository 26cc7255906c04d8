package import HearthFirestore
package import HearthModel
package import HearthWire
import Synchronization

/// Hot documents as the cache alone tells them, encoded: event loops answer from it without a turn.
///
///     loop       > answer(to:)            a get of one document, source cache
///     executor   > update(changes, reads) after each commit, before anybody hears of it
///
/// An answer is what the last commit left: whatever a session has been told of came with a commit,
/// and what that commit changed was forgotten here before the session was told. Two generations
/// bound the memory: the young one fills, then takes the place of the old; what is asked for in the
/// old one becomes young again.
package final class CachedReads: AnswerMemory {
    /// A document that a turn read from the cache alone.
    package typealias Reading = DocumentReading

    /// Bytes of names and answers that are kept. Some ten thousand small documents.
    package static let byteCountMax = 16 << 20
    /// The same of a database that is one of many.
    package static let smallByteCountMax = 2 << 20

    private struct Generation {
        /// Bodies by the full name of the document, as a request has it.
        var answers: [[UInt8]: Frame] = [:]
        var byteCount = 0

        mutating func insert(_ frame: Frame, _ name: [UInt8]) {
            remove(name)
            answers[name] = frame
            byteCount += name.count + frame.body.count
        }

        mutating func remove(_ name: [UInt8]) {
            guard let frame = answers.removeValue(forKey: name) else { return }
            byteCount -= name.count + frame.body.count
        }
    }

    private struct State {
        var young = Generation()
        var old = Generation()

        var isEmpty: Bool { young.answers.isEmpty && old.answers.isEmpty }
    }

    private let codec: WireCodec
    private let generationByteCountMax: Int
    private let state = Mutex(State())

    /// Remembers nothing yet.
    package init(database: DatabaseID, byteCountMax: Int = CachedReads.byteCountMax) {
        codec = WireCodec(database: database)
        generationByteCountMax = byteCountMax / 2
    }

    /// Bytes of names and answers kept now.
    package var byteCount: Int { state.withLock { $0.young.byteCount + $0.old.byteCount } }

    /// The answer to a get of one document from the cache alone, if it is remembered.
    ///
    /// - Parameter body: Of a frame of the kind get.
    /// - Complexity: O(body).
    package func answer(to body: RawSpan) -> Frame? {
        guard let name = CachedGet.documentName(in: body) else { return nil }
        return state.withLock { state in
            if let frame = state.young.answers[name] { return frame }
            guard let frame = state.old.answers[name] else { return nil }
            state.old.remove(name)
            insert(frame, name, in: &state)
            return frame
        }
    }

    package func update(_ changes: DocumentChanges, _ readings: [Reading]) {
        var fresh: [(name: [UInt8], frame: Frame)] = []
        for reading in readings where !changes.contains(reading.key) {
            let event = Event.answer(Event.Snapshot(wholeOf: reading.snapshot))
            // What takes many frames, or cannot be encoded, is not worth remembering.
            guard let frames = try? codec.frames(of: event), frames.count == 1 else { continue }
            fresh.append((codec.nameBytes(of: reading.key), frames[0]))
        }
        if changes.isEmpty && fresh.isEmpty { return }
        state.withLock { state in
            if changes.isAll {
                state = State()
            } else if !state.isEmpty {
                for key in changes.keys {
                    let name = codec.nameBytes(of: key)
                    state.young.remove(name)
                    state.old.remove(name)
                }
            }
            for (name, frame) in fresh {
                state.old.remove(name)
                insert(frame, name, in: &state)
            }
        }
    }

    package func forgetAll() { state.withLock { $0 = State() } }

    private func insert(_ frame: Frame, _ name: [UInt8], in state: inout State) {
        state.young.insert(frame, name)
        guard state.young.byteCount > generationByteCountMax else { return }
        state.old = state.young
        state.young = Generation()
    }
}
