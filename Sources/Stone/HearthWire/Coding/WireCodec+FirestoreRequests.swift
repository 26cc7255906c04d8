import HearthModel
import HearthProtocol
import SwiftProtobuf

extension FirestoreRequest {
    var wireKind: ProtoWireRequestKind {
        switch self {
        case .get: .get
        case .listen: .listen
        case .write: .write
        case .waitForPendingWrites, .waitForOwnWrites: .waitForPendingWrites
        case .listenToSync: .listenToSync
        case .unlistenToSync: .unlistenToSync
        case .loadBundle: .loadBundle
        case .getNamedQuery: .getNamedQuery
        case .readDocuments: .readDocuments
        case .noteReads: .noteReads
        case .commit: .commit
        case .aggregate: .aggregate
        case .buildBundle: .buildBundle
        case .explain: .explain
        case .manageIndexes: .manageIndexes
        case .voteNetwork: .voteNetwork
        case .pin: .pin
        case .cancelWrite: .cancelWrite
        }
    }
}

extension WireCodec {
    func message(of request: FirestoreRequest) throws(WireError) -> (any Message)? {
        switch request {
        case .get(let query, let source):
            var proto = ProtoWireGet()
            proto.target = try requestCodec().encodeTarget(of: query)
            proto.source = Self.encode(source)
            return proto
        case .listen(let query, let options): return try encode(listening: query, options)
        case .write(let write): return try encode(write)
        case .waitForPendingWrites, .listenToSync, .unlistenToSync: return nil
        case .waitForOwnWrites(let last): return Self.waiting(until: last)
        case .loadBundle(let part):
            var proto = ProtoWireLoadBundle()
            proto.bytes = part.data
            proto.hasMore_p = part.hasMore
            return proto
        case .getNamedQuery(let name):
            var proto = ProtoWireGetNamedQuery()
            proto.name = name
            return proto
        case .readDocuments(let keys), .noteReads(let keys): return try encode(reading: keys)
        case .commit(let mutations): return try encode(committing: mutations)
        case .aggregate(let aggregate): return try encode(aggregate)
        case .buildBundle(let order): return try encode(order)
        case .explain(let query):
            var proto = ProtoWireExplain()
            proto.target = try requestCodec().encodeTarget(of: query)
            return proto
        case .manageIndexes(let change): return Self.encode(change)
        case .voteNetwork(let isEnabled): return Self.voting(isEnabled: isEnabled)
        case .pin(let order): return try encode(order)
        case .cancelWrite(let sequence, let batch):
            var proto = ProtoWireCancelWrite()
            proto.sequence = sequence
            proto.batchID = batch.rawValue
            return proto
        }
    }

    /// Waits for the session's own writes.
    static func waiting(until last: BatchID) -> ProtoWireWaitForPendingWrites {
        var proto = ProtoWireWaitForPendingWrites()
        proto.ownOnly = true
        proto.lastBatchID = last.rawValue
        return proto
    }

    /// Reads a wait: the batch that the client knows as its last, or `nil` for all writes.
    static func ownWrites(_ body: RawSpan) throws(WireError) -> BatchID? {
        let proto = try read(ProtoWireWaitForPendingWrites.self, body)
        return proto.ownOnly ? BatchID(max(0, proto.lastBatchID)) : nil
    }

    /// Tells whether the session wants the network.
    static func voting(isEnabled: Bool) -> ProtoWireVoteNetwork {
        var proto = ProtoWireVoteNetwork()
        proto.isEnabled = isEnabled
        return proto
    }

    /// Reads a request to a Firestore database; `nil` for a kind of another family.
    func firestoreRequest(
        _ kind: ProtoWireRequestKind, _ body: RawSpan
    ) throws(WireError) -> FirestoreRequest? {
        switch kind {
        case .get:
            let codec = try requestCodec()
            let proto = try Self.read(ProtoWireGet.self, body)
            let query = try codec.decodeTarget(proto.hasTarget, proto.target)
            return .get(query, try Self.decode(proto.source))
        case .listen: return try listen(body)
        case .write: return .write(try write(body))
        case .waitForPendingWrites:
            return try Self.ownWrites(body).map { .waitForOwnWrites(last: $0) }
                ?? .waitForPendingWrites
        case .listenToSync: return .listenToSync
        case .unlistenToSync: return .unlistenToSync
        case .loadBundle:
            let proto = try Self.read(ProtoWireLoadBundle.self, body)
            return .loadBundle(.init(data: proto.bytes, hasMore: proto.hasMore_p))
        case .getNamedQuery:
            return .getNamedQuery(try Self.read(ProtoWireGetNamedQuery.self, body).name)
        case .readDocuments: return .readDocuments(try documentsToRead(body))
        case .noteReads: return .noteReads(try documentsToRead(body))
        case .commit: return .commit(try writesToCommit(body))
        case .aggregate: return .aggregate(try aggregate(body))
        case .buildBundle: return .buildBundle(try bundleOrder(body))
        case .explain:
            let proto = try Self.read(ProtoWireExplain.self, body)
            return .explain(try requestCodec().decodeTarget(proto.hasTarget, proto.target))
        case .manageIndexes:
            return .manageIndexes(try Self.decode(try Self.read(ProtoWireManageIndexes.self, body)))
        case .voteNetwork:
            let proto = try Self.read(ProtoWireVoteNetwork.self, body)
            return .voteNetwork(isEnabled: proto.isEnabled)
        case .pin: return .pin(try pinOrder(body))
        case .cancelWrite:
            let proto = try Self.read(ProtoWireCancelWrite.self, body)
            return .cancelWrite(sequence: proto.sequence, batch: BatchID(max(0, proto.batchID)))
        default: return nil
        }
    }

    private func encode(
        listening query: Query, _ options: ListenOptions
    ) throws(WireError) -> ProtoWireListen {
        var proto = ProtoWireListen()
        proto.target = try requestCodec().encodeTarget(of: query)
        proto.includeMetadataChanges = options.includeMetadataChanges
        proto.cacheOnly = options.isCacheOnly
        proto.waitForSyncWhenOnline = options.waitForSyncWhenOnline
        return proto
    }

    private func listen(_ body: RawSpan) throws(WireError) -> FirestoreRequest {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireListen.self, body)
        return .listen(
            try codec.decodeTarget(proto.hasTarget, proto.target),
            ListenOptions(
                includeMetadataChanges: proto.includeMetadataChanges,
                waitForSyncWhenOnline: proto.waitForSyncWhenOnline,
                isCacheOnly: proto.cacheOnly))
    }

    private func encode(_ write: FirestoreRequest.Write) throws(WireError) -> ProtoWireWrite {
        let codec = try requestCodec()
        var proto = ProtoWireWrite()
        proto.sequence = write.sequence
        proto.answeredBelow = write.answeredBelow
        proto.writes = try each("writes", write.mutations) { mutation throws(CodecError) in
            try codec.data(of: mutation)
        }
        if let time = write.terms.expiresAt { proto.expiresAt = FirestoreCodec.encode(time) }
        proto.onlyOnline = write.terms.isOnlineOnly
        proto.isJudgedAtOnce = write.isJudgedAtOnce
        proto.sentToGeneration = write.sentTo
        return proto
    }

    private func write(_ body: RawSpan) throws(WireError) -> FirestoreRequest.Write {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireWrite.self, body)
        guard !proto.writes.isEmpty else {
            throw .codec(CodecError(.missing, at: "writes"))
        }
        return FirestoreRequest.Write(
            sequence: proto.sequence, answeredBelow: proto.answeredBelow,
            mutations: try each("writes", proto.writes) { data throws(CodecError) in
                try codec.mutation(from: data)
            },
            terms: SendingTerms(
                expiresAt: proto.hasExpiresAt
                    ? try at("expires_at", FirestoreCodec.decode(proto.expiresAt)) : nil,
                isOnlineOnly: proto.onlyOnline),
            isJudgedAtOnce: proto.isJudgedAtOnce, sentTo: proto.sentToGeneration)
    }
}
