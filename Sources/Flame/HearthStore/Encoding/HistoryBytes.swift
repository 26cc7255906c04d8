import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthSQLite

/// Reads and writes what a row of the history says beside the document's name and the time.
///
/// Shape: fields as in the intake log (`IntakeWriter`): event | local document | 0, or 1 and the remote
/// document | if the event is of a write: batch, user, uid, gid, pid, unit, program | if there is an
/// error: code, message. A document is kind, state, version, readAt, content; the content may have server
/// timestamps that are not set yet.
enum HistoryBytes {
    /// The bytes of an entry.
    ///
    /// - Throws: `StoreError.io` for values that no document can hold.
    static func bytes(
        of entry: HistoryEntry, _ codec: FirestoreCodec
    ) throws(StoreError) -> [UInt8] {
        var writer = IntakeWriter()
        writer.number(Int64(entry.event.kind.rawValue))
        try writer.document(entry.local, codec)
        writer.number(entry.remote == nil ? 0 : 1)
        if let remote = entry.remote { try writer.document(remote, codec) }
        if let write = entry.event.write { writer.write(write) }
        if let error = entry.event.error {
            writer.number(Int64(error.code.rawValue))
            writer.text(error.message)
        }
        return writer.bytes
    }

    /// Reads an entry.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no entry has.
    static func entry(
        of key: DocumentKey, notedAt: Timestamp, from bytes: [UInt8], _ codec: FirestoreCodec
    ) throws(StoreError) -> HistoryEntry {
        do throws(StoreError) {
            var reader = IntakeReader(bytes)
            let number = Int(truncatingIfNeeded: try reader.number())
            let local = try reader.document(key, codec)
            let remote = try reader.number() == 0 ? nil : try reader.document(key, codec)
            let write = try reader.isAtEnd ? nil : reader.historyWrite()
            let error = try reader.isAtEnd ? nil : reader.error()
            guard reader.isAtEnd, let kind = HistoryEvent.Kind(rawValue: number),
                let event = HistoryEvent(kind, write, error)
            else { throw damage(key) }
            return HistoryEntry(notedAt: notedAt, event: event, local: local, remote: remote)
        } catch {
            throw damage(key)  // Whatever was read was no record of the intake log.
        }
    }

    fileprivate static func damage(_ key: DocumentKey) -> StoreError {
        .damaged("the history of \(key)")
    }
}

extension IntakeWriter {
    fileprivate mutating func document(
        _ document: Document, _ codec: FirestoreCodec
    ) throws(StoreError) {
        let kind: DocumentKind =
            switch document.content {
            case .invalid: .invalid
            case .found: .found
            case .missing: .missing
            case .unknown: .unknown
            }
        number(kind.rawValue)
        number(document.hasLocalMutations ? 1 : document.hasCommittedMutations ? 2 : 0)
        time(document.version.timestamp)
        time(document.readAt.timestamp)
        guard document.isFound else { return data(nil) }
        do throws(CodecError) {
            data(try codec.documentBytes(document, includesName: false))
        } catch {
            throw .io("\(document.key) cannot be stored: \(error)")
        }
    }

    fileprivate mutating func write(_ write: HistoryWrite) {
        number(write.batch.rawValue)
        text(write.user.rawValue)
        number(Int64(write.writer.uid))
        number(Int64(write.writer.gid))
        number(Int64(write.writer.pid))
        text(write.writer.unit)
        text(write.writer.program)
    }
}

extension IntakeReader {
    fileprivate mutating func document(
        _ key: DocumentKey, _ codec: FirestoreCodec
    ) throws(StoreError) -> Document {
        let (kind, state) = (DocumentKind(rawValue: try number()), try number())
        let version = SnapshotVersion(try time())
        let readAt = SnapshotVersion(try time())
        let content = try optionalData()
        var document: Document
        switch (kind, content) {
        case (.invalid, nil): document = .invalid(key)
        case (.missing, nil): document = .missing(key, at: version)
        case (.unknown, nil): document = .unknown(key, at: version)
        case (.found, let content?):
            document = try content.lend { content throws(StoreError) in
                do throws(CodecError) {
                    return try codec.document(fromBytes: content, key: key)
                } catch {
                    throw HistoryBytes.damage(key)
                }
            }
        default: throw HistoryBytes.damage(key)
        }
        switch state {
        case 0: break
        case 1: document.markLocalMutations()
        case 2: document.markCommittedMutations()
        default: throw HistoryBytes.damage(key)
        }
        document.readAt = readAt
        return document
    }

    fileprivate mutating func historyWrite() throws(StoreError) -> HistoryWrite {
        let (batch, user) = (BatchID(try number()), UserID(try text() ?? ""))
        let writer = Writer(
            uid: UInt32(truncatingIfNeeded: try number()),
            gid: UInt32(truncatingIfNeeded: try number()),
            pid: Int32(truncatingIfNeeded: try number()), unit: try text(), program: try text())
        return HistoryWrite(batch: batch, user: user, writer: writer)
    }

    fileprivate mutating func error() throws(StoreError) -> HearthError {
        guard let code = StatusCode(rawValue: Int32(truncatingIfNeeded: try number())) else {
            throw Self.damage
        }
        return HearthError(code: code, message: try text() ?? "")
    }
}
