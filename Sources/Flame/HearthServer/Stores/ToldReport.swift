import HearthEngine
import HearthModel

/// The place of the report of a loss that an engine has told.
///
/// Shape: `STORE.lost-SECONDS-DIGEST-EDITION`, with the time of the report, the digest of the lost thing's name, and
/// the time of the thing's edition: seconds since 1970 with the sign bit flipped and nanoseconds, both hexadecimal.
/// A report without an edition counts as older than any edition.
struct ToldReport {
    /// What stands behind the store's path.
    static let mark = ".lost-"

    /// When the loss was told, in seconds since 1970.
    let seconds: Int64
    /// The path, without the end that all reports have.
    let place: String
    private let digest: String
    private let madeAt: Timestamp?

    /// The report of a loss.
    init(of loss: LossName, besides store: String, at now: Timestamp) {
        seconds = now.seconds
        digest = Self.digest(of: loss.thing)
        madeAt = loss.madeAt
        let edition = Self.edition(of: loss.madeAt)
        place = "\(store)\(Self.mark)\(now.seconds)-\(digest)-\(edition)"
    }

    /// A report by what its file's name has behind the mark; `nil` for other files.
    init?(named name: String, besides store: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), let seconds = Int64(parts[0]) else { return nil }
        if parts.count == 3, Self.time(of: parts[2]) == nil { return nil }
        self.seconds = seconds
        digest = parts[1]
        madeAt = parts.count == 3 ? Self.time(of: parts[2]) : nil
        place = "\(store)\(Self.mark)\(name)"
    }

    /// Whether the store lacks nothing of the report's loss any more, once a loss is made good.
    func isMadeGood(by loss: LossName) -> Bool {
        guard utf8Equals(digest, Self.digest(of: loss.thing)) else { return false }
        return madeAt.map { $0 <= loss.madeAt } ?? true
    }

    private static func digest(of thing: String) -> String {
        let (first, second) = MD5.words(of: thing.utf8)
        return String(first, radix: 16) + "_" + String(second, radix: 16)
    }

    private static func edition(of time: Timestamp) -> String {
        let seconds = UInt64(bitPattern: time.seconds) ^ (1 << 63)
        return String(seconds, radix: 16) + "_" + String(time.nanoseconds, radix: 16)
    }

    private static func time(of edition: String) -> Timestamp? {
        let parts = edition.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = UInt64(parts[0], radix: 16),
            let nanoseconds = Int32(parts[1], radix: 16), (0..<1_000_000_000).contains(nanoseconds)
        else { return nil }
        return Timestamp(
            seconds: Int64(bitPattern: seconds ^ (1 << 63)), nanoseconds: nanoseconds)
    }
}
