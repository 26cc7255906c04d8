import HearthModel
import HearthProtocol
import SwiftProtobuf

extension Event {
    /// The kind of the event's frame.
    package var kind: UInt8 {
        let kind: ProtoWireEventKind =
            switch self {
            case .welcome: .welcome
            case .done: .done
            case .failed: .failed
            case .answer: .answer
            case .snapshot: .snapshot
            case .listenFailed: .listenFailed
            case .writeAccepted: .writeAccepted
            case .writeCommitted: .writeCommitted
            case .writeRejected: .writeRejected
            case .inSync: .inSync
            case .report(let report): report.wireKind
            case .queueSteered: .queueSteered
            case .reloaded: .reloaded
            case .bundleProgress: .bundleProgress
            case .namedQuery: .namedQuery
            case .documents: .documents
            case .committed: .committed
            case .commitFailed: .commitFailed
            case .numbers: .numbers
            case .explanation: .explanation
            case .indexes: .indexes
            case .signIn: .signIn
            case .bundle: .bundle
            case .viewNews: .viewNews
            case .node: .node
            case .transaction: .transactionStep
            case .keptPlaces: .keptPlaces
            case .pins: .pins
            case .backupPart: .backupPart
            case .sharedReads: .sharedReads
            }
        return UInt8(kind.rawValue)
    }
}

extension WireCodec {
    func message(of event: Event) throws(WireError) -> (any Message)? {
        switch event {
        case .welcome(let welcome): return Self.encode(welcome)
        case .done, .inSync: return nil
        case .failed(let error), .listenFailed(let error): return Self.encode(error)
        case .answer(let snapshot), .snapshot(let snapshot): return try encode(snapshot)
        case .writeAccepted(let accepted):
            var proto = ProtoWireWriteAccepted()
            proto.sequence = accepted.sequence
            proto.batchID = accepted.batch.rawValue
            return proto
        case .writeCommitted(let committed):
            var proto = ProtoWireWriteCommitted()
            proto.sequence = committed.sequence
            proto.batchID = committed.batch.rawValue
            proto.commitTime = FirestoreCodec.encode(committed.committedAt.timestamp)
            proto.updateTimes = committed.updateTimes.map { FirestoreCodec.encode($0.timestamp) }
            return proto
        case .writeRejected(let rejected):
            var proto = ProtoWireWriteRejected()
            proto.sequence = rejected.sequence
            proto.batchID = rejected.batch.rawValue
            proto.failure = Self.encode(rejected.error)
            proto.mayHaveBeenApplied = rejected.mayHaveBeenApplied
            proto.isOutcomeUnknown = rejected.isOutcomeUnknown
            return proto
        case .report(let report): return try message(of: report)
        case .queueSteered(let batches): return Self.encode(batches)
        case .reloaded(let report):
            var proto = ProtoWireReloaded()
            proto.applied = report.applied
            proto.needsRestart = report.needsRestart
            return proto
        case .bundleProgress(let progress): return Self.encode(progress)
        case .namedQuery(let query):
            var proto = ProtoWireNamedQuery()
            if let query {
                proto.query = try eventCodec().encodeQueryTarget(query.query)
                proto.readTime = FirestoreCodec.encode(query.readAt.timestamp)
            }
            return proto
        case .documents(let documents): return try encode(documents)
        case .committed(let committed):
            var proto = ProtoWireCommitted()
            proto.commitTime = FirestoreCodec.encode(committed.committedAt.timestamp)
            proto.updateTimes = committed.updateTimes.map { FirestoreCodec.encode($0.timestamp) }
            return proto
        case .commitFailed(let error, let mayHaveBeenApplied):
            var proto = ProtoWireCommitFailed()
            proto.failure = Self.encode(error)
            proto.mayHaveBeenApplied = mayHaveBeenApplied
            return proto
        case .numbers(let numbers): return try Self.encode(numbers)
        case .explanation(let explanation): return Self.encode(explanation)
        case .indexes(let list): return Self.encode(list)
        case .signIn(let report): return Self.encode(report)
        case .bundle(let part):
            var proto = ProtoWireLoadBundle()
            proto.bytes = part.data
            proto.hasMore_p = part.hasMore
            return proto
        case .viewNews(let part): return Self.encode(part)
        case .node(let part): return Self.encode(part)
        case .transaction(let part): return Self.encode(part)
        case .keptPlaces(let places, let hasMore): return Self.encode(places, hasMore: hasMore)
        case .pins(let reports, let hasMore): return try encode(reports, hasMore: hasMore)
        case .backupPart(let part): return Self.encode(part)
        case .sharedReads(let byteCount):
            var proto = ProtoWireSharedReads()
            proto.hasFile_p = byteCount != nil
            proto.byteCount = UInt64(byteCount ?? 0)
            return proto
        }
    }

    func event(_ kind: ProtoWireEventKind, _ body: RawSpan) throws(WireError) -> Event {
        switch kind {
        case .welcome: return .welcome(try Self.decode(try Self.read(ProtoWireWelcome.self, body)))
        case .done: return .done
        case .failed: return .failed(Self.decode(try Self.read(ProtoWireFailure.self, body)))
        case .answer: return .answer(try snapshot(body))
        case .snapshot: return .snapshot(try snapshot(body))
        case .listenFailed:
            return .listenFailed(Self.decode(try Self.read(ProtoWireFailure.self, body)))
        case .writeAccepted:
            let proto = try Self.read(ProtoWireWriteAccepted.self, body)
            return .writeAccepted(
                Event.WriteAccepted(sequence: proto.sequence, batch: BatchID(proto.batchID)))
        case .writeCommitted: return .writeCommitted(try writeCommitted(body))
        case .writeRejected:
            return .writeRejected(Self.decode(try Self.read(ProtoWireWriteRejected.self, body)))
        case .inSync: return .inSync
        case .queueSteered:
            return .queueSteered(
                Self.decode(try Self.read(ProtoWireQueueSteered.self, body)))
        case .reloaded:
            let proto = try Self.read(ProtoWireReloaded.self, body)
            return .reloaded(
                ReloadReport(applied: proto.applied, needsRestart: proto.needsRestart))
        case .bundleProgress:
            return .bundleProgress(
                Self.decode(try Self.read(ProtoWireBundleProgress.self, body)))
        case .namedQuery: return .namedQuery(try namedQuery(body))
        case .documents: return .documents(try documents(body))
        case .committed: return .committed(try committed(body))
        case .commitFailed:
            let proto = try Self.read(ProtoWireCommitFailed.self, body)
            return .commitFailed(
                Self.decode(proto.failure), mayHaveBeenApplied: proto.mayHaveBeenApplied)
        case .numbers:
            return .numbers(try Self.decode(try Self.read(ProtoWireNumbers.self, body)))
        case .explanation:
            return .explanation(
                Self.decode(try Self.read(ProtoWireExplanation.self, body)))
        case .indexes:
            return .indexes(try Self.decode(try Self.read(ProtoWireIndexes.self, body)))
        case .signIn:
            return .signIn(Self.decode(try Self.read(ProtoWireSignInReport.self, body)))
        case .bundle:
            let proto = try Self.read(ProtoWireLoadBundle.self, body)
            return .bundle(FirestoreRequest.BundlePart(data: proto.bytes, hasMore: proto.hasMore_p))
        case .viewNews: return .viewNews(try Self.viewPart(body))
        case .node: return .node(try Self.nodePart(body))
        case .transactionStep: return .transaction(try Self.transactionPart(body))
        case .keptPlaces: return try Self.keptPlaces(body)
        case .pins: return try pins(body)
        case .backupPart: return .backupPart(try Self.backupPart(body))
        case .sharedReads:
            let proto = try Self.read(ProtoWireSharedReads.self, body)
            return .sharedReads(
                byteCount: proto.hasFile_p ? Int(clamping: proto.byteCount) : nil)
        default:
            guard let report = try report(kind, body) else {
                throw .unknownKind(UInt8(clamping: kind.rawValue))
            }
            return .report(report)
        }
    }

    private func writeCommitted(_ body: RawSpan) throws(WireError) -> Event.WriteCommitted {
        let proto = try Self.read(ProtoWireWriteCommitted.self, body)
        return Event.WriteCommitted(
            sequence: proto.sequence, batch: BatchID(proto.batchID),
            committedAt: SnapshotVersion(
                try at("commit_time", FirestoreCodec.decode(proto.commitTime))),
            updateTimes: try each("update_times", proto.updateTimes) { time throws(CodecError) in
                SnapshotVersion(try FirestoreCodec.decode(time))
            })
    }

    private static func decode(_ proto: ProtoWireWriteRejected) -> Event.WriteRejected {
        Event.WriteRejected(
            sequence: proto.sequence, batch: BatchID(proto.batchID),
            error: decode(proto.failure), mayHaveBeenApplied: proto.mayHaveBeenApplied,
            isOutcomeUnknown: proto.isOutcomeUnknown)
    }

    private func namedQuery(_ body: RawSpan) throws(WireError) -> Event.NamedQuery? {
        let proto = try Self.read(ProtoWireNamedQuery.self, body)
        guard proto.hasQuery else { return nil }
        return Event.NamedQuery(
            query: try eventCodec().decode(proto.query),
            readAt: SnapshotVersion(try at("read_time", FirestoreCodec.decode(proto.readTime))))
    }
}

/// The small messages.
extension WireCodec {
    static func encode(_ error: HearthError) -> ProtoWireFailure {
        var proto = ProtoWireFailure()
        proto.code = error.code.rawValue
        proto.message = told(error.message)
        return proto
    }

    /// A text for people, cut to what an answer can have many of.
    static func told(_ text: String) -> String {
        let countMax = WireLimits.textByteCountMax
        guard text.utf8.count > countMax else { return text }
        let beginning = String(decoding: text.utf8.prefix(countMax), as: UTF8.self)
        return "\(beginning)… (\(text.utf8.count) bytes)"
    }

    /// Reads an error. An unknown code, or `OK`, becomes `UNKNOWN`.
    static func decode(_ proto: ProtoWireFailure) -> HearthError {
        let code = StatusCode(rawValue: proto.code) ?? .unknown
        return HearthError(code: code == .ok ? .unknown : code, message: proto.message)
    }

    private static func encode(_ progress: Event.BundleProgress) -> ProtoWireBundleProgress {
        var proto = ProtoWireBundleProgress()
        proto.documentsLoaded = UInt64(clamping: progress.documentsLoaded)
        proto.totalDocuments = UInt64(clamping: progress.totalDocuments)
        proto.bytesLoaded = UInt64(clamping: progress.bytesLoaded)
        proto.totalBytes = UInt64(clamping: progress.totalBytes)
        proto.isFinished = progress.isFinished
        return proto
    }

    private static func decode(_ proto: ProtoWireBundleProgress) -> Event.BundleProgress {
        Event.BundleProgress(
            documentsLoaded: Int(clamping: proto.documentsLoaded),
            totalDocuments: Int(clamping: proto.totalDocuments),
            bytesLoaded: Int(clamping: proto.bytesLoaded),
            totalBytes: Int(clamping: proto.totalBytes), isFinished: proto.isFinished)
    }
}
