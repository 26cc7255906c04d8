import HearthEngine
import HearthModel
import HearthProtocol

/// The lines of JSON beside the documents.
extension ForkedFolder {
    /// The line of a batch.
    func line(of batch: Batch) throws(HearthError) -> [UInt8] {
        var text = JSONText()
        text.beginObject()
        Self.writeQueued(
            batch.id, batch.state, at: batch.writtenAt, of: batch.user, by: batch.writer, to: &text)
        text.name("writes")
        text.beginArray()
        for mutation in batch.mutations { text.value(try json(of: mutation)) }
        text.endArray()
        text.endObject()
        return text.bytes
    }

    /// Writes what the lines of both services tell of a batch that waits.
    static func writeQueued(
        _ id: BatchID, _ state: BatchState, at writtenAt: Timestamp, of user: UserID,
        by writer: Writer, to text: inout JSONText
    ) {
        text.name("batch")
        text.integer(id.rawValue)
        text.name("state")
        text.string(state.rawValue)
        text.name("writtenAt")
        text.string(writtenAt.description)
        text.name("user")
        text.string(user.rawValue)
        write(writer, to: &text)
    }

    private static func write(_ writer: Writer, to text: inout JSONText) {
        for (name, number) in [
            ("uid", Int64(writer.uid)), ("gid", Int64(writer.gid)), ("pid", Int64(writer.pid)),
        ] {
            text.name(name)
            text.integer(number)
        }
        for (name, word) in [("unit", writer.unit), ("program", writer.program)] {
            text.name(name)
            if let word { text.string(word) } else { text.null() }
        }
    }

    private func json(of mutation: Mutation) throws(HearthError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try FirestoreCodec(database: database).mutationBytes(mutation)
        } catch {
            throw HearthError(code: .internalError, message: "\(mutation.key): \(error)")
        }
        return try ProtoToJSON.json(of: bytes, as: "Write")
    }

    /// The line of a step in a document's history.
    func line(of step: HistoryEntry) throws(HearthError) -> [UInt8] {
        var text = JSONText()
        text.beginObject()
        text.name("number")
        text.integer(step.number)
        text.name("notedAt")
        text.string(step.notedAt.description)
        text.name("event")
        text.string(step.event.kind.name)
        text.name("path")
        text.string(step.key.path.string)
        text.name("state")
        text.string(Self.word(for: step.local))
        text.name("hasPendingWrites")
        text.boolean(step.local.hasLocalMutations)
        let documents: [(String, Document?)] = [
            ("document", step.local), ("remoteDocument", step.remote),
        ]
        for (name, document) in documents {
            text.name(name)
            if let document, document.isFound {
                text.value(try json(of: document))
            } else {
                text.null()
            }
        }
        if let write = step.event.write {
            text.name("batch")
            text.integer(write.batch.rawValue)
            text.name("user")
            text.string(write.user.rawValue)
            Self.write(write.writer, to: &text)
        }
        if let error = step.event.error {
            text.name("error")
            text.string("\(error.code.name): \(error.message)")
        }
        text.endObject()
        return text.bytes
    }

    /// What is known of a document, as `hearth history` says it.
    private static func word(for document: Document) -> String {
        switch document.content {
        case .invalid: "unknown"
        case .found: "found"
        case .missing: "missing"
        case .unknown: "fieldsUnknown"
        }
    }

    private func json(of document: Document) throws(HearthError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try FirestoreCodec(database: database).documentBytes(Self.settled(document))
        } catch {
            throw HearthError(code: .internalError, message: "\(document.key): \(error)")
        }
        return try ProtoToJSON.json(of: bytes, as: "Document")
    }
}
