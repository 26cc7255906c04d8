import HearthModel
import HearthProtocol
import HearthServer
import Synchronization

/// Documents as clients see them, encoded once for all clients of all event loops.
///
/// A change of a document goes to each of its listeners, who may be a thousand; and programs read a
/// few documents again and again. The name and the times of a document in which no write waits stand
/// for its content.
final class DocumentBytes: Sendable {
    /// What stands for a document's content.
    fileprivate struct Identity: Hashable {
        let database: DatabaseID
        let key: DocumentKey
        let updateTime: Timestamp
        let createTime: Timestamp
    }

    private let known: Mutex<Generations<Identity, [UInt8]>>

    /// Holds nothing yet.
    ///
    /// - Parameter byteCountMax: How many bytes are kept.
    init(byteCountMax: Int = GatewayLimits.documentByteCountMax) {
        known = Mutex(Generations(byteCountMax: byteCountMax))
    }

    /// The bytes of a `google.firestore.v1.Document`.
    ///
    /// - Throws: `internalError` for a document that no message can hold.
    func bytes(
        of document: Document, in database: DatabaseID
    ) throws(HearthError) -> [UInt8] {
        let codec = FirestoreCodec(database: database)
        // What is computed here may change under the same time: a foreign change below a patch.
        guard !document.hasPendingWrites else { return try codec.answerBytes(document) }
        let identity = Identity(
            database: database, key: document.key, updateTime: document.updateTime,
            createTime: document.createTime)
        if let bytes = known.withLock({ $0.find(identity) }) { return bytes }
        let bytes = try codec.answerBytes(document)
        known.withLock { $0.insert(bytes, of: identity, byteCount: bytes.count) }
        return bytes
    }
}
