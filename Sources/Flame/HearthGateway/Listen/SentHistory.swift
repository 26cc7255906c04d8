import HearthModel

/// The last pictures that a client was shown of one target.
///
/// A returning client has got as far as the number in its token says, and may have been told some
/// of the messages after that. Pictures are persistent sets, so pictures in one history share
/// documents.
struct SentHistory: Sendable {
    private struct Entry: Sendable {
        let number: UInt64
        /// The names that were told between the picture before and this picture.
        let told: Set<DocumentKey>
    }

    /// One picture. All clients that were shown the picture share the object.
    final class Picture: Sendable {
        /// What is shown.
        let documents: DocumentSet

        /// Shares documents.
        init(_ documents: DocumentSet) {
            self.documents = documents
        }
    }

    /// The number of last pictures that a client may return to: what is on the way to a client in
    /// one round trip.
    static let countMax = 8

    /// In the order of their numbers, from `oldest` around to the entry before it.
    private var entries: [Entry] = []
    private var oldest = 0
    private var picture: Picture?

    /// The last picture; `nil` before the first.
    var latest: DocumentSet? { picture?.documents }

    /// Notes a picture.
    ///
    /// - Parameters:
    ///   - number: Of the stream's message that completes the picture; above all before.
    ///   - told: The documents that the client was told of.
    mutating func append(_ number: UInt64, _ picture: Picture, told: Set<DocumentKey>) {
        self.picture = picture
        if entries.count == Self.countMax {
            entries[oldest] = Entry(number: number, told: told)
            oldest = (oldest + 1) % Self.countMax
        } else {
            // The first picture's names are never asked for: who has less than the first has
            // nothing.
            entries.append(Entry(number: number, told: entries.isEmpty ? [] : told))
        }
    }

    /// The documents that were told of after a message of the stream.
    ///
    /// - Returns: `nil` if it is no longer known, or the target was not complete then.
    func names(toldAfter number: UInt64) -> Set<DocumentKey>? {
        guard !entries.isEmpty, entries[oldest].number <= number else { return nil }
        var names: Set<DocumentKey> = []
        for entry in entries where entry.number > number { names.formUnion(entry.told) }
        return names
    }

    /// What the last picture takes in memory, about; of more than `countMax`, any number above it.
    ///
    /// Most of it belongs to the cache as well, until the documents change.
    func byteCount(upTo countMax: Int) -> Int {
        var count = 0
        for entry in entries { count += entry.told.count * Self.nameByteCount }
        guard let latest else { return count }
        for key in latest.keys where count <= countMax {
            count += latest[key]?.heldByteCount ?? 0
        }
        return count
    }

    /// A name that was told and is kept elsewhere, too.
    private static let nameByteCount = 64
}
