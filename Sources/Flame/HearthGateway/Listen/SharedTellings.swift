import HearthModel
import HearthProtocol
import HearthServer
import Synchronization

/// What clients are told of one snapshot, computed once for all who were shown the snapshot before.
///
/// Their targets differ in two things alone, so a snapshot has four tellings at most.
final class SharedTellings: Sendable {
    /// In which two things the targets differ.
    struct Case: Sendable {
        /// Whether the client was told that the backend may know better.
        let toldFromCache: Bool
        /// Whether writes that wait are held back.
        let isSettling: Bool

        fileprivate var place: Int { (toldFromCache ? 2 : 0) + (isSettling ? 1 : 0) }
    }

    /// A telling that is known; `nil` in it says that there is nothing to tell.
    struct Known: Sendable {
        let telling: GatewayTarget.Telling?
    }

    private let known = Mutex<[Known?]>([nil, nil, nil, nil])

    /// The telling of a case; `nil` if nobody has computed it.
    func find(_ one: Case) -> Known? { known.withLock { $0[one.place] } }

    /// Keeps the telling of a case.
    func insert(_ telling: GatewayTarget.Telling?, of one: Case) {
        known.withLock { $0[one.place] = Known(telling: telling) }
    }
}

extension SharedSnapshot {
    /// What the gateway's clients are told of the snapshot.
    var tellings: SharedTellings {
        guard let tellings = companion({ SharedTellings() }) as? SharedTellings else {
            preconditionFailure("A snapshot has another companion")
        }
        return tellings
    }
}

/// Documents that many clients are told of, encoded once for each number that clients give a target.
///
/// Clients number their targets alike: most have one.
final class SharedDocuments: Sendable {
    /// More bytes are told one document at a time, as the client takes them.
    private static let byteCountMax = 64 << 10
    /// Further numbers of targets are encoded for each client.
    private static let encodingCountMax = 4

    /// The documents.
    let documents: [Document]
    /// What they take in memory, about.
    let byteCount: Int
    private let encodings = Mutex<[(id: WireTargetID, messages: [[UInt8]])]>([])

    /// Shares documents; `nil` for too many.
    init?(_ documents: [Document]) {
        let byteCount = documents.reduce(0) { $0 + $1.heldByteCount }
        guard byteCount <= Self.byteCountMax else { return nil }
        self.documents = documents
        self.byteCount = byteCount
    }

    /// The bytes of a `ListenResponse` for each document.
    ///
    /// - Parameter encode: Makes the bytes if nobody has made them.
    func messages(
        to id: WireTargetID, _ encode: (Document) throws(HearthError) -> [UInt8]
    ) throws(HearthError) -> [[UInt8]] {
        let known = encodings.withLock { encodings in
            encodings.first { $0.id == id }?.messages
        }
        if let known { return known }
        var messages: [[UInt8]] = []
        for document in documents { messages.append(try encode(document)) }
        encodings.withLock { [messages] encodings in
            guard encodings.count < Self.encodingCountMax else { return }
            encodings.append((id, messages))
        }
        return messages
    }
}
