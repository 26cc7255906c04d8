import HearthModel
import HearthThreads

/// Documents that many clients are told of, encoded once for each number that clients give a
/// target.
///
/// Clients number their targets alike: most have one. Each encoding is written once and read
/// without a lock.
final class SharedDocuments: Sendable {
    /// More bytes are told one document at a time, as the client takes them.
    private static let byteCountMax = 64 << 10

    private final class Encoding: Sendable {
        let id: WireTargetID
        let messages: [[UInt8]]

        init(for id: WireTargetID, _ messages: [[UInt8]]) {
            self.id = id
            self.messages = messages
        }
    }

    /// The documents.
    let documents: [Document]
    /// What they take in memory, about.
    let byteCount: Int
    /// Filled from the first place on. Further numbers of targets are encoded for each client.
    private let encodings: InlineArray<4, WrittenOnce> = .init { _ in WrittenOnce() }

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
        for place in encodings.indices {
            guard let encoding = encodings[place].object(Encoding.self) else { break }
            if encoding.id == id { return encoding.messages }
        }
        var messages: [[UInt8]] = []
        for document in documents { messages.append(try encode(document)) }
        keep(Encoding(for: id, messages))
        return messages
    }

    /// Keeps an encoding, unless another event loop has kept the same or all places are taken.
    private func keep(_ encoding: Encoding) {
        for place in encodings.indices
        where encodings[place].write(encoding).id == encoding.id { return }
    }
}
