package import HearthModel
package import SwiftProtobuf

/// Turns HearthModel's values into messages of `google.firestore.v1` and back, for one database.
///
/// `encode` and `decode` come in pairs, one file a family: names, values, documents, queries,
/// writes, watch. Decoding trusts no bytes: the codec either returns a value that keeps the
/// promises of its type, or throws. Both directions cost time in proportion to the message.
package struct FirestoreCodec: Hashable, Sendable {
    /// Who reads what is encoded, and who wrote what is decoded.
    package enum Mode: Hashable, Sendable {
        /// A backend, which knows no pending server timestamps.
        case wire
        /// Ourselves, on disk or on our own socket. Pending server timestamps are maps.
        case local
    }

    /// The database of all names, except the names in reference values.
    package let database: DatabaseID
    /// Who is at the other end.
    package let mode: Mode
    /// A database whose references are written and read as references to `database`. `nil` if there
    /// is none.
    package let standIn: DatabaseID?
    /// `projects/P/databases/D/documents/`.
    let documentsPrefix: String

    /// How deep maps and arrays may lie inside each other.
    package static let nestingMax = Value.nestingMax

    /// A codec for the names of one database.
    ///
    /// - Parameters:
    ///   - database: The database of all names, except the names in reference values.
    ///   - mode: Who is at the other end.
    ///   - standIn: A database whose references are written and read as references to `database`.
    ///     `nil` if there is none.
    package init(database: DatabaseID, mode: Mode = .wire, standIn: DatabaseID? = nil) {
        self.database = database
        self.mode = mode
        self.standIn = standIn
        self.documentsPrefix = database.documentsName + "/"
    }

    /// Reads a message from its bytes.
    ///
    /// - Throws: `CodecError`, `unreadable`, for bytes that are no message of this type.
    package static func read<M: Message>(
        _ type: M.Type, from bytes: [UInt8]
    ) throws(CodecError) -> M {
        do {
            return try M(serializedBytes: bytes)
        } catch {
            throw CodecError(.unreadable(type: M.protoMessageName))
        }
    }

    /// The bytes of a message.
    package static func bytes(of message: some Message) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            // Only a message beyond 2 GiB, or with extensions, cannot be serialized.
            preconditionFailure("\(type(of: message).protoMessageName) has no bytes: \(error)")
        }
    }
}
