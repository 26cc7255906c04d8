import HearthEngine
import HearthModel
import HearthProtocol

extension WireCodec {
    static func encode(_ report: StatusReport) -> ProtoWireStatusReport {
        var proto = ProtoWireStatusReport()
        proto.daemonVersion = report.daemonVersion
        proto.uptimeSeconds = UInt64(clamping: report.uptime.components.seconds)
        proto.degradedReasons = report.degradedReasons.map(told)
        (proto.database, proto.instance) = texts(of: report.database)
        proto.user = report.user.rawValue
        proto.upstream = report.upstream
        proto.onlineState =
            switch report.onlineState {
            case .unknown: .unknown
            case .online: .online
            case .offline: .offline
            }
        proto.isNetworkEnabled = report.isNetworkEnabled
        proto.isIdle = report.isIdle
        proto.queueBatchCount = UInt64(clamping: report.queueBatchCount)
        if let time = report.oldestWrittenAt { proto.oldestWrittenAt = FirestoreCodec.encode(time) }
        proto.deadLetterCount = UInt64(clamping: report.deadLetterCount)
        proto.clientCount = UInt32(clamping: report.clientCount)
        proto.listenerCount = UInt32(clamping: report.listenerCount)
        proto.targetCount = UInt32(clamping: report.targetCount)
        proto.cachedDocumentCount = UInt64(clamping: report.cachedDocumentCount)
        proto.cacheByteCount = UInt64(clamping: report.cacheByteCount)
        proto.heldBatchCount = UInt64(clamping: report.heldBatchCount)
        proto.keptPlaceCount = UInt32(clamping: report.keptPlaceCount)
        proto.pinCount = UInt32(clamping: report.pinCount)
        proto.pinnedByteCount = UInt64(clamping: report.pinnedByteCount)
        proto.stoppedPinCount = UInt32(clamping: report.stoppedPinCount)
        proto.historyEntryCount = UInt64(clamping: report.historyEntryCount)
        proto.historyByteCount = UInt64(clamping: report.historyByteCount)
        proto.hasUnknownCounts_p = report.hasUnknownCounts
        proto.losses = report.losses.map { encode($0) }
        proto.bundles = report.bundles.map { encode($0) }
        proto.untoldBundleCount = UInt64(clamping: report.untoldBundleCount)
        if let error = report.connectionError { proto.connectionFailure = encode(error) }
        if let time = report.connectionFailedAt {
            proto.connectionFailedAt = FirestoreCodec.encode(time)
        }
        if let delay = report.nextAttemptDelay {
            proto.nextAttempt = UInt64(clamping: Int64(delay / .milliseconds(1))) + 1
        }
        return proto
    }

    static func decode(_ proto: ProtoWireStatusReport) throws(WireError) -> StatusReport {
        var report = StatusReport(
            database: try at("database", key(database: proto.database, instance: proto.instance)))
        report.daemonVersion = proto.daemonVersion
        report.uptime = .seconds(Int64(clamping: proto.uptimeSeconds))
        report.degradedReasons = proto.degradedReasons
        report.user = UserID(proto.user)
        report.upstream = proto.upstream
        report.onlineState =
            switch proto.onlineState {
            case .unknown, .UNRECOGNIZED: .unknown
            case .online: .online
            case .offline: .offline
            }
        report.isNetworkEnabled = proto.isNetworkEnabled
        report.isIdle = proto.isIdle
        report.queueBatchCount = Int(clamping: proto.queueBatchCount)
        if proto.hasOldestWrittenAt {
            report.oldestWrittenAt = try at(
                "oldest_written_at", FirestoreCodec.decode(proto.oldestWrittenAt))
        }
        report.deadLetterCount = Int(clamping: proto.deadLetterCount)
        report.clientCount = Int(clamping: proto.clientCount)
        report.listenerCount = Int(clamping: proto.listenerCount)
        report.targetCount = Int(clamping: proto.targetCount)
        report.cachedDocumentCount = Int(clamping: proto.cachedDocumentCount)
        report.cacheByteCount = Int(clamping: proto.cacheByteCount)
        report.heldBatchCount = Int(clamping: proto.heldBatchCount)
        report.keptPlaceCount = Int(clamping: proto.keptPlaceCount)
        report.pinCount = Int(clamping: proto.pinCount)
        report.pinnedByteCount = Int(clamping: proto.pinnedByteCount)
        report.stoppedPinCount = Int(clamping: proto.stoppedPinCount)
        report.historyEntryCount = Int(clamping: proto.historyEntryCount)
        report.historyByteCount = Int(clamping: proto.historyByteCount)
        report.hasUnknownCounts = proto.hasUnknownCounts_p
        for loss in proto.losses { report.losses.append(try decode(loss)) }
        report.tell(
            of: proto.bundles.map { decode($0) }, besides: Int(clamping: proto.untoldBundleCount))
        if proto.hasConnectionFailure { report.connectionError = decode(proto.connectionFailure) }
        if proto.hasConnectionFailedAt {
            report.connectionFailedAt = try at(
                "connection_failed_at", FirestoreCodec.decode(proto.connectionFailedAt))
        }
        if proto.nextAttempt > 0 {
            let milliseconds = Int64(clamping: min(proto.nextAttempt - 1, 1 << 40))
            report.nextAttemptDelay = .milliseconds(milliseconds)
        }
        return report
    }

    private static func encode(_ loss: StoreLoss) -> ProtoWireStoreLoss {
        var proto = ProtoWireStoreLoss()
        proto.noticedAt = FirestoreCodec.encode(loss.noticedAt)
        proto.account = told(loss.account)
        proto.path = loss.path
        return proto
    }

    private static func decode(_ proto: ProtoWireStoreLoss) throws(WireError) -> StoreLoss {
        StoreLoss(
            noticedAt: try at("losses.noticed_at", FirestoreCodec.decode(proto.noticedAt)),
            account: proto.account, path: proto.path)
    }

    private static func encode(_ bundle: BundleLoading) -> ProtoWireBundleLoading {
        var proto = ProtoWireBundleLoading()
        proto.id = bundle.id
        proto.documentCount = UInt64(clamping: bundle.documentCount)
        proto.totalDocumentCount = UInt64(clamping: bundle.totalDocumentCount)
        return proto
    }

    private static func decode(_ proto: ProtoWireBundleLoading) -> BundleLoading {
        BundleLoading(
            id: proto.id, documentCount: Int(clamping: proto.documentCount),
            totalDocumentCount: Int(clamping: proto.totalDocumentCount))
    }

    func encode(_ page: QueuePage) throws(WireError) -> ProtoWireQueuePage {
        let codec = try batchCodec()
        var proto = ProtoWireQueuePage()
        proto.batches = try each("batches", page.batches) { batch throws(CodecError) in
            try codec.encode(batch)
        }
        proto.hasMore_p = page.hasMore
        return proto
    }

    func queuePage(_ body: RawSpan) throws(WireError) -> QueuePage {
        let codec = try batchCodec()
        let proto = try Self.read(ProtoWireQueuePage.self, body)
        return QueuePage(
            batches: try each("batches", proto.batches) { batch throws(CodecError) in
                try codec.decode(batch)
            },
            hasMore: proto.hasMore_p)
    }

    func encode(_ page: DeadLetterPage) throws(WireError) -> ProtoWireDeadLetterPage {
        let codec = try batchCodec()
        var proto = ProtoWireDeadLetterPage()
        proto.letters = try each("letters", page.letters) { letter throws(CodecError) in
            var proto = ProtoWireDeadLetter()
            proto.batch = try codec.encode(letter.batch)
            proto.failure = Self.encode(letter.error)
            proto.rejectedAt = FirestoreCodec.encode(letter.rejectedAt)
            proto.mayHaveBeenApplied = letter.mayHaveBeenApplied
            return proto
        }
        proto.hasMore_p = page.hasMore
        if let fate = page.fate { proto.fate = Self.encode(fate) }
        return proto
    }

    func deadLetterPage(_ body: RawSpan) throws(WireError) -> DeadLetterPage {
        let codec = try batchCodec()
        let proto = try Self.read(ProtoWireDeadLetterPage.self, body)
        var fate: BatchFate?
        if proto.hasFate { fate = try at("fate", Self.decode(proto.fate)) }
        return DeadLetterPage(
            letters: try each("letters", proto.letters) { letter throws(CodecError) in
                DeadLetterPage.Letter(
                    batch: try codec.decode(letter.batch),
                    error: Self.decode(letter.failure),
                    rejectedAt: try FirestoreCodec.decode(letter.rejectedAt),
                    mayHaveBeenApplied: letter.mayHaveBeenApplied)
            },
            hasMore: proto.hasMore_p, fate: fate)
    }

    private static func encode(_ fate: BatchFate) -> ProtoWireBatchFate {
        var proto = ProtoWireBatchFate()
        proto.notedAt = FirestoreCodec.encode(fate.notedAt)
        switch fate.end {
        case .pending: proto.end = .pending
        case .committed: proto.end = .committed
        case .rejected(let error, let mayHaveBeenApplied):
            proto.end = .rejected
            proto.failure = encode(error)
            proto.mayHaveBeenApplied = mayHaveBeenApplied
        }
        return proto
    }

    private static func decode(_ proto: ProtoWireBatchFate) throws(CodecError) -> BatchFate {
        let end: BatchFate.End =
            switch proto.end {
            case .pending, .UNRECOGNIZED: .pending
            case .committed: .committed
            case .rejected:
                .rejected(decode(proto.failure), mayHaveBeenApplied: proto.mayHaveBeenApplied)
            }
        return BatchFate(end, notedAt: try FirestoreCodec.decode(proto.notedAt))
    }
}
