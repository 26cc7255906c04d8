package import HearthModel

/// The call that asks a backend for the collections right below a document or the root.
extension FirestoreCodec {
    /// The request for the first part of the list, and the name of the parent. The backend routes
    /// the call by this name.
    package func collectionIDsRequest(
        below parent: ResourcePath, countMax: Int
    ) -> (message: [UInt8], parent: String) {
        var request = ProtoListCollectionIdsRequest()
        request.parent = name(of: parent)
        request.pageSize = Int32(clamping: countMax)
        return (Self.bytes(of: request), request.parent)
    }

    /// Reads the answer, whose ids the backend orders.
    ///
    /// - Throws: `CodecError`, `unreadable`.
    package static func collectionIDs(
        _ message: [UInt8]
    ) throws(CodecError) -> (ids: [String], hasMore: Bool) {
        let response = try read(ProtoListCollectionIdsResponse.self, from: message)
        return (response.collectionIds, !response.nextPageToken.isEmpty)
    }
}
