import HearthModel
import HearthRPC

/// What an answer says beside its content: whether it is of the cache, and whether writes wait in it.
///
/// A client sees the marks in two places. The times of the backend have whole microseconds, so the
/// nanoseconds below a microsecond are free: 1 for a write that waits, 2 for the cache, 3 for both.
/// Clients that show metadata see the headers besides.
struct Marks: Hashable, Sendable {
    /// Whether the answer shows a write that waits for the backend.
    var hasPendingWrites: Bool
    /// Whether the answer is from the cache, and the backend may know better.
    var isFromCache: Bool

    /// Marks an answer.
    init(hasPendingWrites: Bool, isFromCache: Bool) {
        self.hasPendingWrites = hasPendingWrites
        self.isFromCache = isFromCache
    }

    /// The marks of an answer that shows documents.
    init(showing documents: some Sequence<Document>, isFromCache: Bool) {
        self.init(
            hasPendingWrites: documents.contains(where: \.hasLocalMutations),
            isFromCache: isFromCache)
    }

    /// The nanoseconds below a microsecond.
    var digits: Int32 { (hasPendingWrites ? 1 : 0) + (isFromCache ? 2 : 0) }

    /// A time with the marks.
    func marked(_ time: Timestamp) -> Timestamp {
        let floored = time.flooredToMicroseconds
        return Timestamp(seconds: floored.seconds, nanoseconds: floored.nanoseconds + digits)
    }

    /// The headers of an answer; none for an answer of the backend in which nothing waits.
    ///
    /// - Parameter readTime: The answer's time, which an answer from the cache names as its age.
    func metadata(asOf readTime: Timestamp) -> CallMetadata {
        var metadata = CallMetadata()
        if hasPendingWrites { metadata.add("hearth-pending", "1") }
        if isFromCache {
            metadata.add("hearth-from-cache", "1")
            metadata.add("hearth-as-of", "\(readTime.flooredToMicroseconds)")
        }
        return metadata
    }
}

extension Marks {
    /// The time of an answer where no server was ever heard. Zero would mean no time at all.
    private static let firstTime = Timestamp(microseconds: 1)

    /// The read time of an answer, with the marks.
    ///
    /// - Parameters:
    ///   - heard: Up to when the backend has told of the answer's documents; zero if it never has.
    ///   - documents: What is answered. No document is newer than the read time.
    func readTime(heard: SnapshotVersion, showing documents: some Sequence<Document>) -> Timestamp {
        let newest = documents.lazy.filter(\.isFound).map(\.updateTime).max()
        return marked(max(heard.timestamp, newest ?? Self.firstTime, Self.firstTime))
    }
}
