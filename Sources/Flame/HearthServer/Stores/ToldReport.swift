import HearthEngine
import HearthModel

/// The place of the report of a loss that an engine has told.
///
/// Shape: `STORE.lost-SECONDS-DIGEST-EDITION`, with the time of the report, the digest of the lost thing's name, and
/// the time of the thing's edition: seconds since 1970 with the sign bit flipped and nanoseconds, both hexadecimal.
/// A report without an edition counts as older than any edition. STORE is the store's path, or for a store with a long
/// name what `base` makes of the path.
struct ToldReport {
    /// What stands behind the store's path.
    static let mark = ".lost-"

    /// The longest name of a store's file that the names of reports begin with. Behind the name come 93 bytes at
    /// most, and 16 of the draft of a report; the name of a file has 255.
    private static let storeNameByteCountMax = 140
    /// How much of a longer name the names of reports begin with, in front of the name's digest.
    private static let keptNameByteCount = 98

    /// When the loss was told, in seconds since 1970.
    let seconds: Int64
    /// What the report's name has behind the mark.
    let name: String
    private let base: String
    private let digest: String
    private let madeAt: Timestamp?

    /// The report of a loss. A clock that is before 1970 counts as 1970: a sign would part the name.
    init(of loss: LossName, besides store: String, at now: Timestamp) {
        seconds = max(0, now.seconds)
        digest = Self.digest(of: loss.thing)
        madeAt = loss.madeAt
        base = Self.base(of: store)
        name = "\(seconds)-\(digest)-\(Self.edition(of: loss.madeAt))"
    }

    /// A report by what its file's name has behind the mark; `nil` for other files.
    init?(named name: String, besides store: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), let seconds = Int64(parts[0]) else { return nil }
        if parts.count == 3, Self.time(of: parts[2]) == nil { return nil }
        self.seconds = seconds
        self.name = name
        digest = parts[1]
        madeAt = parts.count == 3 ? Self.time(of: parts[2]) : nil
        base = Self.base(of: store)
    }

    /// The path, without the end that all reports have.
    var place: String { base + Self.mark + name }

    /// What the paths of a store's reports begin with: the store's own path, unless a name could become too long for
    /// a file.
    ///
    /// Of a longer name a digest takes the place of the end. No store's own name has the character in front of the
    /// digest (`StoreFolder`).
    static func base(of store: String) -> String {
        let slash = store.utf8.lastIndex(of: UInt8(ascii: "/"))
        let start = slash.map { store.utf8.index(after: $0) } ?? store.startIndex
        let file = Array(store.utf8[start...])
        guard file.count > storeNameByteCountMax else { return store }
        let digest = SHA1.digest(of: file).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        let kept = String(decoding: file.prefix(keptNameByteCount), as: UTF8.self)
        return "\(store[..<start])\(kept)~\(digest.joined())"
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
