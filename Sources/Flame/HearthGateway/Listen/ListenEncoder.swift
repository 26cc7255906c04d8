import HearthModel
import HearthProtocol

/// Makes the bytes of documents for one watch stream.
///
/// A reference: a stream that has nothing new to encode, as most of many listeners, copies no names
/// of its database.
final class ListenEncoder {
    private let codec: FirestoreCodec
    private let documents: DocumentBytes

    /// Encodes for the listeners of a database.
    ///
    /// - Parameter documents: Where a document's bytes come from, which all listeners share.
    init(_ database: DatabaseID, sharing documents: DocumentBytes) {
        codec = FirestoreCodec(database: database)
        self.documents = documents
    }

    /// The bytes of a `ListenResponse` with a document that is new in a target, or changed.
    ///
    /// - Throws: `internalError` for a document that no message can hold.
    func bytes(
        of document: Document, _ projection: [FieldPath]?, for id: WireTargetID
    ) throws(HearthError) -> [UInt8] {
        let bytes =
            if let projection {
                try codec.answerBytes(document, projection)
            } else {
                try documents.bytes(of: document, in: codec.database)
            }
        return FirestoreCodec.documentChangeBytes(bytes, of: id)
    }

    /// The bytes of a `ListenResponse` about any change of a document.
    ///
    /// - Throws: `internalError` for a document that no message can hold.
    func bytes(_ change: DocumentWatchChange) throws(HearthError) -> [UInt8] {
        try codec.encoded { () throws(CodecError) in
            try codec.watchChangeBytes(.document(change))
        }
    }
}
