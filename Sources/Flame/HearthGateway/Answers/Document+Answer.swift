import HearthModel
import HearthProtocol

/// Documents as clients of the gateway see them.
///
/// A client knows a document's state by its update time, so each state has an update time of its
/// own: the backend's, or while writes wait the promise of the last of them. The wire has no value
/// for a server timestamp that is not known yet; the promise stands in its place too.
extension Document {
    /// The update time. Clients compare update times to tell one state of the document from
    /// another.
    var updateTime: Timestamp { promisedAt ?? version.timestamp }

    /// When the document was made, as far as anybody here knows.
    var createTime: Timestamp { createdAt == .zero ? updateTime : createdAt.timestamp }

    /// The document in the form that the codec can send.
    ///
    /// - Parameter mask: The fields to send; `nil` for all.
    /// - Precondition: The document is found.
    func answer(_ mask: [FieldPath]? = nil) -> Document {
        precondition(isFound, "\(key) has no fields to answer")
        var fields = mask.map { self.fields.keeping($0) } ?? self.fields
        if hasLocalMutations {
            fields = fields.withoutPending(at: updateTime.flooredToMicroseconds)
        }
        return .found(
            key, at: SnapshotVersion(updateTime), fields, createdAt: SnapshotVersion(createTime))
    }
}

extension MapValue {
    /// Some of the fields.
    fileprivate func keeping(_ paths: [FieldPath]) -> MapValue {
        var kept = MapValue.empty
        for path in paths where path.count > 0 && !path.isDocumentID {
            if let value = self[path] { kept.set(path, to: value) }
        }
        return kept
    }

    /// The same with a time in the place of server timestamps that are not known yet.
    fileprivate func withoutPending(at time: Timestamp) -> MapValue {
        MapValue(
            entries: entries.map { .init(key: $0.key, value: $0.value.withoutPending(at: time)) })
    }
}

extension Value {
    fileprivate func withoutPending(at time: Timestamp) -> Value {
        switch self {
        case .serverTimestamp: .timestamp(time)
        case .map(let map): .map(map.withoutPending(at: time))
        case .array(let elements): .array(elements.map { $0.withoutPending(at: time) })
        case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint:
            self
        }
    }
}

extension FirestoreCodec {
    /// The bytes of a document as clients see it, a `google.firestore.v1.Document`.
    ///
    /// - Parameter mask: The fields to send; `nil` for all.
    /// - Throws: `internalError` for a document that no message can hold.
    func answerBytes(
        _ document: Document, _ mask: [FieldPath]? = nil
    ) throws(HearthError) -> [UInt8] {
        try encoded { () throws(CodecError) in try documentBytes(document.answer(mask)) }
    }

    /// Encodes an answer.
    ///
    /// - Throws: `internalError` for what no message can hold.
    func encoded<Encoded>(
        _ body: () throws(CodecError) -> Encoded
    ) throws(HearthError) -> Encoded {
        do throws(CodecError) {
            return try body()
        } catch {
            throw HearthError(code: .internalError, message: "\(error)")
        }
    }
}
