import HearthBackend
import HearthModel
import HearthProtocol
import HearthServer
import HearthWire
import NIOCore
import SwiftProtobuf

/// Checks of writes before anything is queued, in the backend's words.
///
/// Firestore is known to refuse what is refused here, whatever documents, rules and indexes there are.
/// What only an emulator is known to refuse is sent, and the backend judges.
enum CheckedWrites {
    /// Checks that a session may make the writes, and that documents can take them.
    ///
    /// - Throws: The first fault.
    static func check(_ mutations: [Mutation], by session: GatewaySession) throws(HearthError) {
        for mutation in mutations { try checkRight(to: mutation, of: session) }
        let database = session.database
        var byteCount = 0
        for mutation in mutations {
            try WriteRules.check(mutation, in: database, by: .firestore)
            guard case .set(let fields) = mutation.kind else { continue }
            let document = Document.found(mutation.key, at: .zero, fields)
            byteCount += try ValueRules.checkSize(of: document, in: database)
        }
        guard byteCount <= WriteRules.commitByteCountMax else {
            throw .argument("Transaction too big. Decrease transaction size.")
        }
        try WriteRules.checkOrder(of: mutations, in: database)
    }

    /// Checks that a session may make a write. A check of a condition tells only what a read tells,
    /// and the answer to an increment, a maximum or a minimum tells what has been in the document.
    static func checkRight(
        to mutation: Mutation, of session: GatewaySession
    ) throws(HearthError) {
        let right: AccessPolicy.Right =
            switch mutation.kind {
            case .set, .patch, .delete: .write
            case .verify: .read
            }
        try session.check(right, .document(mutation.key.path))
        if mutation.transforms.contains(where: \.tellsValue) {
            try session.check(.read, .document(mutation.key.path))
        }
    }

    /// Reads a message of a request.
    ///
    /// - Throws: `invalidArgument` for bytes that are no such message, or that hold too much.
    static func message<Request: WritingRequest>(
        _ bytes: ByteBuffer
    ) throws(HearthError) -> Request {
        if let bounded = Request.bounded {
            try bytes.withUnsafeReadableBytes { bytes in
                Result { () throws(HearthError) in try WriteBounds.check(bytes, of: bounded) }
            }.get()
        }
        do {
            return try Request(serializedBytes: Array(bytes.readableBytesView))
        } catch {
            throw .argument("The request cannot be read: \(error)")
        }
    }
}

/// A request of writes.
protocol WritingRequest: Message {
    /// How what is in it is bounded; `nil` for a request that has only names.
    static var bounded: WriteBounds.Request? { get }
}

extension ProtoCommitRequest: WritingRequest {
    static var bounded: WriteBounds.Request? { .commit }
}

extension ProtoBatchWriteRequest: WritingRequest {
    static var bounded: WriteBounds.Request? { .commit }
}

extension ProtoWriteRequest: WritingRequest {
    static var bounded: WriteBounds.Request? { .write }
}

extension ProtoCreateDocumentRequest: WritingRequest {
    static var bounded: WriteBounds.Request? { .createDocument }
}

extension ProtoUpdateDocumentRequest: WritingRequest {
    static var bounded: WriteBounds.Request? { .updateDocument }
}

extension ProtoDeleteDocumentRequest: WritingRequest {
    static var bounded: WriteBounds.Request? { nil }
}

extension FieldTransform {
    /// Whether the answer has a value that depends on the document's.
    fileprivate var tellsValue: Bool {
        switch operation {
        case .increment, .maximum, .minimum: true
        case .serverTimestamp, .arrayUnion, .arrayRemove: false
        }
    }
}
