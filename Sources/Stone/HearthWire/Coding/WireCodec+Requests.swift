import HearthModel
import HearthProtocol
import SwiftProtobuf

extension Request {
    /// The kind of its frame.
    package var kind: UInt8 {
        let kind: ProtoWireRequestKind =
            switch self {
            case .hello: .hello
            case .ping: .ping
            case .get: .get
            case .listen: .listen
            case .unlisten: .unlisten
            case .write: .write
            case .waitForPendingWrites, .waitForOwnWrites: .waitForPendingWrites
            case .listenToSync: .listenToSync
            case .unlistenToSync: .unlistenToSync
            case .loadBundle: .loadBundle
            case .getNamedQuery: .getNamedQuery
            case .readDocuments: .readDocuments
            case .commit: .commit
            case .aggregate: .aggregate
            case .buildBundle: .buildBundle
            case .explain: .explain
            case .clearPersistence: .clearPersistence
            case .listCollections: .listCollections
            case .manageIndexes: .manageIndexes
            case .voteNetwork: .voteNetwork
            case .getStatus: .getStatus
            case .inspect: .inspect
            case .listQueue: .listQueue
            case .listDeadLetters: .listDeadLetters
            case .setNetwork: .setNetwork
            case .steerQueue: .steerQueue
            case .authenticate: .authenticate
            case .reload: .reload
            }
        return UInt8(kind.rawValue)
    }
}

extension WireCodec {
    func message(of request: Request) throws(WireError) -> (any Message)? {
        switch request {
        case .hello(let hello):
            return Self.encode(hello)
        case .get(let query, let source):
            var proto = ProtoWireGet()
            proto.target = try requestCodec().encodeTarget(of: query)
            proto.source = Self.encode(source)
            return proto
        case .listen(let query, let options):
            var proto = ProtoWireListen()
            proto.target = try requestCodec().encodeTarget(of: query)
            proto.includeMetadataChanges = options.includeMetadataChanges
            proto.cacheOnly = options.isCacheOnly
            proto.waitForSyncWhenOnline = options.waitForSyncWhenOnline
            return proto
        case .write(let write):
            let codec = try requestCodec()
            var proto = ProtoWireWrite()
            proto.sequence = write.sequence
            proto.answeredBelow = write.answeredBelow
            proto.writes = try each("writes", write.mutations) {
                mutation throws(CodecError) in try codec.data(of: mutation)
            }
            return proto
        case .loadBundle(let part):
            var proto = ProtoWireLoadBundle()
            proto.bytes = part.data
            proto.hasMore_p = part.hasMore
            return proto
        case .getNamedQuery(let name):
            var proto = ProtoWireGetNamedQuery()
            proto.name = name
            return proto
        case .readDocuments(let keys): return try encode(reading: keys)
        case .commit(let mutations): return try encode(committing: mutations)
        case .aggregate(let aggregate): return try encode(aggregate)
        case .buildBundle(let order): return try encode(order)
        case .explain(let query):
            var proto = ProtoWireExplain()
            proto.target = try requestCodec().encodeTarget(of: query)
            return proto
        case .manageIndexes(let change): return Self.encode(change)
        case .voteNetwork(let isEnabled):
            var proto = ProtoWireVoteNetwork()
            proto.isEnabled = isEnabled
            return proto
        case .waitForOwnWrites(let last):
            var proto = ProtoWireWaitForPendingWrites()
            proto.ownOnly = true
            proto.lastBatchID = last.rawValue
            return proto
        case .listCollections(let page): return Self.encode(page)
        case .listQueue(let page):
            var proto = ProtoWireListQueue()
            proto.afterBatchID = page.after.rawValue
            proto.batchCountMax = UInt32(clamping: page.batchCountMax ?? 0)
            proto.withWrites = page.withWrites
            return proto
        case .listDeadLetters(let page):
            var proto = ProtoWireListDeadLetters()
            proto.afterBatchID = page.after.rawValue
            proto.batchCountMax = UInt32(clamping: page.batchCountMax ?? 0)
            proto.withWrites = page.withWrites
            return proto
        case .steerQueue(let steering): return try encode(steering)
        case .inspect(let subject): return Self.encode(subject)
        case .setNetwork(let isEnabled):
            var proto = ProtoWireSetNetwork()
            proto.isEnabled = isEnabled
            return proto
        case .authenticate(let order): return Self.encode(order)
        case .ping, .unlisten, .clearPersistence, .reload, .waitForPendingWrites, .listenToSync,
            .unlistenToSync, .getStatus:
            return nil
        }
    }

    func request(_ kind: ProtoWireRequestKind, _ body: RawSpan) throws(WireError) -> Request {
        switch kind {
        case .hello:
            return .hello(try Self.decode(try Self.read(ProtoWireHello.self, body)))
        case .ping: return .ping
        case .get:
            let codec = try requestCodec()
            let proto = try Self.read(ProtoWireGet.self, body)
            let query = try codec.decodeTarget(proto.hasTarget, proto.target)
            return .get(query, try Self.decode(proto.source))
        case .listen:
            let codec = try requestCodec()
            let proto = try Self.read(ProtoWireListen.self, body)
            return .listen(
                try codec.decodeTarget(proto.hasTarget, proto.target),
                ListenOptions(
                    includeMetadataChanges: proto.includeMetadataChanges,
                    waitForSyncWhenOnline: proto.waitForSyncWhenOnline,
                    isCacheOnly: proto.cacheOnly))
        case .unlisten: return .unlisten
        case .write: return .write(try write(body))
        case .waitForPendingWrites:
            let proto = try Self.read(ProtoWireWaitForPendingWrites.self, body)
            return proto.ownOnly
                ? .waitForOwnWrites(last: BatchID(max(0, proto.lastBatchID)))
                : .waitForPendingWrites
        case .listenToSync: return .listenToSync
        case .unlistenToSync: return .unlistenToSync
        case .loadBundle:
            let proto = try Self.read(ProtoWireLoadBundle.self, body)
            return .loadBundle(Request.BundlePart(data: proto.bytes, hasMore: proto.hasMore_p))
        case .getNamedQuery:
            return .getNamedQuery(try Self.read(ProtoWireGetNamedQuery.self, body).name)
        case .readDocuments: return .readDocuments(try documentsToRead(body))
        case .commit: return .commit(try writesToCommit(body))
        case .aggregate: return .aggregate(try aggregate(body))
        case .buildBundle: return .buildBundle(try bundleOrder(body))
        case .explain:
            let proto = try Self.read(ProtoWireExplain.self, body)
            return .explain(try requestCodec().decodeTarget(proto.hasTarget, proto.target))
        case .manageIndexes:
            return .manageIndexes(
                try Self.decode(try Self.read(ProtoWireManageIndexes.self, body)))
        case .clearPersistence: return .clearPersistence
        case .listCollections: return .listCollections(try Self.collectionPage(body))
        case .voteNetwork:
            return .voteNetwork(
                isEnabled: try Self.read(ProtoWireVoteNetwork.self, body).isEnabled)
        case .getStatus: return .getStatus
        case .inspect:
            return .inspect(try Self.decode(try Self.read(ProtoWireInspect.self, body)))
        case .listQueue:
            let proto = try Self.read(ProtoWireListQueue.self, body)
            return .listQueue(
                Self.page(proto.afterBatchID, proto.batchCountMax, proto.withWrites))
        case .listDeadLetters:
            let proto = try Self.read(ProtoWireListDeadLetters.self, body)
            return .listDeadLetters(
                Self.page(proto.afterBatchID, proto.batchCountMax, proto.withWrites))
        case .steerQueue: return .steerQueue(try queueSteering(body))
        case .reload: return .reload
        case .setNetwork:
            return .setNetwork(
                isEnabled: try Self.read(ProtoWireSetNetwork.self, body).isEnabled)
        case .authenticate:
            return .authenticate(
                try Self.decode(try Self.read(ProtoWireAuthenticate.self, body)))
        case .unspecified, .UNRECOGNIZED:
            throw .unknownKind(UInt8(clamping: kind.rawValue))
        }
    }

    private func write(_ body: RawSpan) throws(WireError) -> Request.Write {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireWrite.self, body)
        guard !proto.writes.isEmpty else {
            throw .codec(CodecError(.missing, at: "writes"))
        }
        return Request.Write(
            sequence: proto.sequence, answeredBelow: proto.answeredBelow,
            mutations: try each("writes", proto.writes) { data throws(CodecError) in
                try codec.mutation(from: data)
            })
    }

    private static func page(
        _ after: Int64, _ countMax: UInt32, _ withWrites: Bool
    ) -> Request.Page {
        Request.Page(
            after: BatchID(max(0, after)),
            batchCountMax: countMax == 0
                ? nil : min(Int(countMax), WireLimits.pageBatchCountMax),
            withWrites: withWrites)
    }
}
