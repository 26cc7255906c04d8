import HearthModel
import SwiftProtobuf

extension Inquiry {
    var wireKind: ProtoWireRequestKind {
        switch self {
        case .status: .getStatus
        case .inspection: .inspect
        case .queue: .listQueue
        case .deadLetters: .listDeadLetters
        case .collections: .listCollections
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
        }
    }
}

/// Inquiries and their answers.
extension WireCodec {
    static func message(of inquiry: Inquiry) -> (any Message)? {
        switch inquiry {
        case .status: return nil
        case .inspection(let subject): return encode(subject)
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
            return proto
        case .collections(let page): return encode(page)
        }
    }

    /// Reads an inquiry; `nil` for a kind of another family.
    static func inquiry(
        _ kind: ProtoWireRequestKind, _ body: RawSpan
    ) throws(WireError) -> Inquiry? {
        switch kind {
        case .getStatus: return .status
        case .inspect: return .inspection(try decode(try read(ProtoWireInspect.self, body)))
        case .listQueue:
            let proto = try read(ProtoWireListQueue.self, body)
            return .queue(page(proto.afterBatchID, proto.batchCountMax, proto.withWrites))
        case .listDeadLetters:
            let proto = try read(ProtoWireListDeadLetters.self, body)
            return .deadLetters(page(proto.afterBatchID, proto.batchCountMax, proto.withWrites))
        case .listCollections: return .collections(try collectionPage(body))
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
        default: nil
        }
    }
}
