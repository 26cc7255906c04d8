import HearthModel
import HearthProtocol
import SwiftProtobuf

extension Inquiry {
    var wireKind: ProtoWireRequestKind {
        switch self {
        case .status: .getStatus
        case .inspection: .inspect
        case .queue: .listQueue
        case .deadLetters: .listDeadLetters
        case .collections: .listCollections
        case .children: .listChildren
        case .document: .describeDocument
        case .ledger: .readLedger
        case .history: .readHistory
        }
    }
}

extension Report {
    var wireKind: ProtoWireEventKind {
        switch self {
        case .status: .status
        case .inspection: .inspection
        case .queue: .queuePage
        case .deadLetters: .deadLetterPage
        case .collections: .collections
        case .children: .children
        case .document: .documentDescription
        case .ledger: .ledgerReport
        case .history: .historyPage
        }
    }
}

/// Inquiries and their answers.
extension WireCodec {
    static func message(of inquiry: Inquiry) -> (any Message)? {
        switch inquiry {
        case .status: return nil
        case .inspection(let subject, let place): return encode(subject, after: place)
        case .queue(let page):
            var proto = ProtoWireListQueue()
            proto.afterBatchID = page.after.rawValue
            proto.batchCountMax = UInt32(clamping: page.batchCountMax ?? 0)
            proto.withWrites = page.withWrites
            return proto
        case .deadLetters(let page):
            var proto = ProtoWireListDeadLetters()
            proto.afterBatchID = page.after.rawValue
            proto.batchCountMax = UInt32(clamping: page.batchCountMax ?? 0)
            proto.withWrites = page.withWrites
            proto.withFate = page.withFate
            return proto
        case .collections(let page): return encode(page)
        case .children(let page): return encode(page)
        case .document(let key):
            var proto = ProtoWireDescribeDocument()
            proto.path = key.path.description
            return proto
        case .ledger(let question): return encode(question)
        case .history(let question): return encode(question)
        }
    }

    /// Reads an inquiry; `nil` for a kind of another family.
    static func inquiry(
        _ kind: ProtoWireRequestKind, _ body: RawSpan
    ) throws(WireError) -> Inquiry? {
        switch kind {
        case .getStatus: return .status
        case .inspect: return try decode(try read(ProtoWireInspect.self, body))
        case .listQueue:
            let proto = try read(ProtoWireListQueue.self, body)
            return .queue(page(proto.afterBatchID, proto.batchCountMax, proto.withWrites))
        case .listDeadLetters:
            let proto = try read(ProtoWireListDeadLetters.self, body)
            var asked = page(proto.afterBatchID, proto.batchCountMax, proto.withWrites)
            asked.withFate = proto.withFate
            return .deadLetters(asked)
        case .listCollections: return .collections(try collectionPage(body))
        case .listChildren: return .children(try childPage(body))
        case .describeDocument:
            let text = try read(ProtoWireDescribeDocument.self, body).path
            guard let key = DocumentKey(try path(text, named: "path")) else {
                throw .codec(CodecError(.badName(text, reason: "it is no document"), at: "path"))
            }
            return .document(key)
        case .readLedger: return .ledger(try decode(try read(ProtoWireReadLedger.self, body)))
        case .readHistory: return .history(try historyQuestion(body))
        default: return nil
        }
    }

    private static func page(
        _ after: Int64, _ countMax: UInt32, _ withWrites: Bool
    ) -> Inquiry.BatchPage {
        Inquiry.BatchPage(
            after: BatchID(max(0, after)),
            batchCountMax: countMax == 0 ? nil : min(Int(countMax), WireLimits.pageBatchCountMax),
            withWrites: withWrites)
    }

    func message(of report: Report) throws(WireError) -> (any Message)? {
        switch report {
        case .status(let status): Self.encode(status)
        case .inspection(let inspection): Self.encode(inspection)
        case .queue(let page): try encode(page)
        case .deadLetters(let page): try encode(page)
        case .collections(let list): Self.encode(list)
        case .children(let list): Self.encode(list)
        case .document(let description): try encode(description)
        case .ledger(let report): Self.encode(report)
        case .history(let page): try encode(page)
        }
    }

    /// Reads the answer to an inquiry; `nil` for the kind of another event.
    func report(_ kind: ProtoWireEventKind, _ body: RawSpan) throws(WireError) -> Report? {
        switch kind {
        case .status: .status(try Self.decode(try Self.read(ProtoWireStatusReport.self, body)))
        case .inspection:
            .inspection(try Self.decode(try Self.read(ProtoWireInspection.self, body)))
        case .queuePage: .queue(try queuePage(body))
        case .deadLetterPage: .deadLetters(try deadLetterPage(body))
        case .collections: .collections(try Self.collectionList(body))
        case .children: .children(try Self.childList(body))
        case .documentDescription: .document(try documentDescription(body))
        case .ledgerReport:
            .ledger(try Self.decode(try Self.read(ProtoWireLedgerReport.self, body)))
        case .historyPage: .history(try historyPage(body))
        default: nil
        }
    }

    // MARK: One document

    private func encode(
        _ description: DocumentDescription
    ) throws(WireError) -> ProtoWireDocumentDescription {
        let codec = try batchCodec()
        var proto = ProtoWireDocumentDescription()
        proto.state =
            switch description.state {
            case .unknown: .unknown
            case .found: .found
            case .missing: .missing
            case .fieldsUnknown: .fieldsUnknown
            }
        if description.updatedAt != .zero {
            proto.updateTime = FirestoreCodec.encode(description.updatedAt.timestamp)
        }
        if description.readAt != .zero {
            proto.readTime = FirestoreCodec.encode(description.readAt.timestamp)
        }
        proto.isInTarget = description.isInTarget
        proto.hasMoreBatches_p = description.hasMoreBatches
        proto.batches = try each("batches", description.batches) { batch throws(CodecError) in
            try codec.encode(batch)
        }
        return proto
    }

    private func documentDescription(_ body: RawSpan) throws(WireError) -> DocumentDescription {
        let codec = try batchCodec()
        let proto = try Self.read(ProtoWireDocumentDescription.self, body)
        let state: DocumentDescription.State
        switch proto.state {
        case .unknown: state = .unknown
        case .found: state = .found
        case .missing: state = .missing
        case .fieldsUnknown: state = .fieldsUnknown
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "state"))
        }
        var description = DocumentDescription(
            state, updatedAt: .zero, readAt: .zero, isInTarget: proto.isInTarget,
            batches: try each("batches", proto.batches) { batch throws(CodecError) in
                try codec.decode(batch)
            })
        description.hasMoreBatches = proto.hasMoreBatches_p
        if proto.hasUpdateTime {
            description.updatedAt = SnapshotVersion(
                try at("update_time", FirestoreCodec.decode(proto.updateTime)))
        }
        if proto.hasReadTime {
            description.readAt = SnapshotVersion(
                try at("read_time", FirestoreCodec.decode(proto.readTime)))
        }
        return description
    }
}
