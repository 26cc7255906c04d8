import HearthModel
import HearthProtocol
import Synchronization

/// Documents as clients see them, encoded once for all clients of all event loops.
///
/// A change of a document goes to each of its listeners, who may be a thousand; and programs read a
/// few documents again and again. The name and the times of a document in which no write waits stand
/// for its content. What was wanted lately is kept in two halves: when the younger half is full, the
/// elder is dropped.
final class DocumentBytes: Sendable {
    /// What stands for a document's content.
    fileprivate struct Identity: Hashable {
        let database: DatabaseID
        let key: DocumentKey
        let updateTime: Timestamp
        let createTime: Timestamp
    }

    fileprivate struct Halves {
        /// How many bytes a half may hold.
        let byteCountMax: Int
        var younger: [Identity: [UInt8]] = [:]
        var elder: [Identity: [UInt8]] = [:]
        var byteCount = 0
    }

    private let halves: Mutex<Halves>

    /// Holds nothing yet.
    ///
    /// - Parameter byteCountMax: How many bytes a half may hold.
    init(byteCountMax: Int = GatewayLimits.documentByteCountMax) {
        halves = Mutex(Halves(byteCountMax: byteCountMax))
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
        if let known = halves.withLock({ $0.find(identity) }) { return known }
        let bytes = try codec.answerBytes(document)
        halves.withLock { $0.add(bytes, of: identity) }
        return bytes
    }
}

extension DocumentBytes.Halves {
    /// The bytes of a document. What is found among the elder becomes young again.
    fileprivate mutating func find(_ identity: DocumentBytes.Identity) -> [UInt8]? {
        if let bytes = younger[identity] { return bytes }
        guard let bytes = elder.removeValue(forKey: identity) else { return nil }
        add(bytes, of: identity)
        return bytes
    }

    fileprivate mutating func add(_ bytes: [UInt8], of identity: DocumentBytes.Identity) {
        guard bytes.count <= byteCountMax, younger[identity] == nil else { return }
        byteCount += bytes.count
        if byteCount > byteCountMax {
            elder = younger
            younger = [:]
            byteCount = bytes.count
        }
        younger[identity] = bytes
    }
}
