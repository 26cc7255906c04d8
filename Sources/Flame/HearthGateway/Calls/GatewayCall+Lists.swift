import HearthBackend
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import HearthWire
import NIOCore

/// ListDocuments and ListCollectionIds.
///
/// The backend makes these lists if it can be reached: it alone knows of documents that are missing
/// and have collections below, and of collections that nobody here has asked for. It is told first
/// what the program has written. Offline the cache makes the lists from its own documents.
extension GatewayCall {
    /// The size of a page if the request names no size.
    private static let pageSize = 300

    // MARK: Documents

    /// Answers with a page of a collection's documents.
    func listDocuments(_ bytes: ByteBuffer) throws(HearthError) {
        let request: ProtoListDocumentsRequest = try Self.read(bytes)
        try Self.check(pageSize: request.pageSize)
        guard request.isOfNow, let collectionID = try RequestReader.collection(request.collectionID)
        else { return try forward(.listDocuments, bytes) }
        let (database, parent) = try NameReader.parent(request.parent)
        let plan = try QueryPlan(
            listing: parent, collectionID: collectionID,
            orderBys: try RequestReader.orderBys(request.orderBy), in: database)
        let mask = try RequestReader.mask(request.hasMask, request.mask)
        guard let split = QuerySplit(plan.query) else { return try forward(.listDocuments, bytes) }
        try session.check(.read, AccessScope(split.query))
        let token = CacheListToken(request.pageToken)
        let list = { (snapshot: ViewSnapshot) throws(HearthError) in
            try answer(snapshot, after: token, size: Int(request.pageSize), mask)
        }
        // The cache cannot go on with a list that the backend has begun.
        let way =
            request.pageToken.isEmpty ? cacheWay(Self.documentList, split.query, then: list) : nil
        guard isListedHere(token, request.pageToken) else {
            return forwardAfterOwnWrites(.listDocuments, bytes, or: way)
        }
        readCached(split.query, then: list) {
            forwardAfterOwnWrites(.listDocuments, bytes, or: way)
        }
    }

    private static let documentList = "This list of documents"

    /// Whether the cache makes a page: it made the page before, or it makes the first page because
    /// the backend cannot be reached or the program asks the cache first.
    private func isListedHere(_ token: CacheListToken?, _ text: String) -> Bool {
        if token != nil { return true }
        guard text.isEmpty else { return false }
        return firstSource == .cache
    }

    /// Reads what the cache has of a collection.
    ///
    /// - Parameter unknown: Called if the backend never told of all of it, and can be asked.
    private func readCached(
        _ query: Query, then take: @escaping (ViewSnapshot) throws(HearthError) -> Void,
        unknown: @escaping () -> Void
    ) {
        ask({ .get($0, query, .cache) }) { delivery in
            switch delivery {
            case .answer(_, let shared):
                let snapshot = shared.snapshot
                if snapshot.readAt != .zero {
                    orFail { () throws(HearthError) in try take(snapshot) }
                } else if session.unreachable == nil {
                    unknown()
                } else if takesIncompleteAnswers {
                    orFail { () throws(HearthError) in try take(snapshot) }
                } else {
                    fail(.notCached(Self.documentList, as: mode.offlineStatus))
                }
            case .refuse(_, let error):
                fail(error)
            case .snapshot, .fail, .inSync, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("A query is not answered by \(delivery)")
            }
            return false
        }
    }

    private func answer(
        _ snapshot: ViewSnapshot, after token: CacheListToken?, size: Int, _ mask: [FieldPath]?
    ) throws(HearthError) {
        let page = try Self.page(
            of: snapshot.documents.documents, after: token, size: size
        ) { $0.key.path.string }
        let marks = Marks(showing: page.elements, isFromCache: true)
        let readTime = marks.readTime(heard: snapshot.readAt, showing: page.elements)
        var response = ProtoListDocumentsResponse()
        for document in page.elements {
            response.documents.append(
                try codec.encoded { () throws(CodecError) in
                    try codec.encode(document.answer(mask))
                })
        }
        response.nextPageToken = page.next
        answer(FirestoreCodec.bytes(of: response), marks, asOf: readTime)
    }

    // MARK: Collections

    /// Answers with a page of the ids of the collections directly below a document or the root.
    func listCollectionIds(_ bytes: ByteBuffer) throws(HearthError) {
        let request: ProtoListCollectionIdsRequest = try Self.read(bytes)
        try Self.check(pageSize: request.pageSize)
        guard request.isOfNow else {
            return try forward(.listCollectionIds, bytes)
        }
        let (_, parent) = try NameReader.parent(request.parent)
        try session.check(.read, .group(below: parent))
        let token = CacheListToken(request.pageToken)
        guard token != nil || request.pageToken.isEmpty && session.unreachable != nil else {
            return forwardAfterOwnWrites(
                .listCollectionIds, bytes, or: collectionWay(request, parent))
        }
        if mode.reads == .server {
            return failOffline("A list in the mode \"server\"")
        }
        session.readCollectionIDs(below: parent) { ids in
            orFail { () throws(HearthError) in
                try answer(try ids.get(), after: token, size: Int(request.pageSize))
            }
        }
    }

    /// How the cache answers with the first page of a list of collections; `nil` for a later page.
    private func collectionWay(
        _ request: ProtoListCollectionIdsRequest, _ parent: ResourcePath
    ) -> CacheFallback.Way? {
        guard request.pageToken.isEmpty else { return nil }
        return CacheFallback.Way(what: "This list of collections") { fallback in
            // The cache may know only a part of the collections, so the call waits for a backend
            // that is only slow.
            guard fallback.hasFailed else { return fallback.isUnknown() }
            session.readCollectionIDs(below: parent) { ids in
                guard fallback.claim() else { return }
                orFail { () throws(HearthError) in
                    try answer(try ids.get(), after: nil, size: Int(request.pageSize))
                }
            }
        }
    }

    private func answer(
        _ ids: [String], after token: CacheListToken?, size: Int
    ) throws(HearthError) {
        let page = try Self.page(of: ids, after: token, size: size) { $0 }
        var response = ProtoListCollectionIdsResponse()
        response.collectionIds = Array(page.elements)
        response.nextPageToken = page.next
        var answer = Answer.message(FirestoreCodec.bytes(of: response))
        answer.initial.add("hearth-from-cache", "1")
        self.answer(answer)
    }

    // MARK: Pages

    private static func check(pageSize: Int32) throws(HearthError) {
        if pageSize < 0 { throw .argument("Page size must be nonnegative.") }
    }

    /// One page of a list, and the next page's token if there may be a next page.
    ///
    /// - Throws: `aborted` if the list no longer has the element that ended the page before.
    private static func page<Element>(
        of elements: [Element], after token: CacheListToken?, size: Int,
        named name: (Element) -> String
    ) throws(HearthError) -> (elements: ArraySlice<Element>, next: String) {
        var rest = elements[...]
        if let token {
            guard let place = elements.firstIndex(where: { utf8Equals(name($0), token.last) })
            else {
                throw HearthError(
                    code: .aborted,
                    message: "\"\(token.last)\", at which the list was to go on, is gone from it. "
                        + "List again from the beginning.")
            }
            rest = elements[(place + 1)...]
        }
        let page = rest.prefix(size > 0 ? size : pageSize)
        guard page.count < rest.count, let last = page.last else { return (page, "") }
        return (page, CacheListToken(after: name(last)).text)
    }
}
