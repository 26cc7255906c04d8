/// How the daemon keeps the cache: `PersistentCacheSettings` or `MemoryCacheSettings`.
///
/// One cache serves all programs of the machine. So a program's cache settings are conditions, not
/// orders; see `FirestoreSettings`.
public protocol LocalCacheSettings: Sendable {}

/// Which documents leave a cache in memory: `MemoryEagerGCSetting` or `MemoryLRUGCSettings`.
public protocol MemoryGarbageCollectorSettings: Sendable {}

/// The cache has no limit.
public let FirestoreCacheSizeUnlimited: Int64 = -1

/// The cache is on disk and outlives the daemon.
public struct PersistentCacheSettings: LocalCacheSettings, Hashable {
    let byteCountMax: Int64?

    /// A cache of any size.
    public init() {
        byteCountMax = nil
    }

    /// A cache of a size in bytes, at least 1 MiB, or of `FirestoreCacheSizeUnlimited`.
    public init(sizeBytes: Int64) {
        byteCountMax = CacheKind.check(sizeBytes)
    }
}

/// The cache and the queue end with the daemon.
public struct MemoryCacheSettings: LocalCacheSettings, Hashable {
    let kind: CacheKind

    /// Documents leave as soon as nobody needs them.
    public init() {
        kind = .memoryEager
    }

    /// Documents leave as the collector's settings say.
    public init(garbageCollectorSettings: any MemoryGarbageCollectorSettings) {
        if let settings = garbageCollectorSettings as? MemoryLRUGCSettings {
            kind = .memoryLeastUsed(byteCountMax: settings.byteCountMax)
        } else {
            kind = .memoryEager
        }
    }
}

/// Documents leave as soon as nobody listens to them and no write waits for them.
public struct MemoryEagerGCSetting: MemoryGarbageCollectorSettings, Hashable {
    /// There is nothing to set.
    public init() {}
}

/// The least used documents leave a cache that grows above a size.
public struct MemoryLRUGCSettings: MemoryGarbageCollectorSettings, Hashable {
    let byteCountMax: Int64?

    /// Above any size that the daemon has.
    public init() {
        byteCountMax = nil
    }

    /// Above a size in bytes, at least 1 MiB, or never with `FirestoreCacheSizeUnlimited`.
    public init(sizeBytes: Int64) {
        byteCountMax = CacheKind.check(sizeBytes)
    }
}

/// The settings of a cache as an enum.
enum CacheKind: Hashable, Sendable {
    case persistent(byteCountMax: Int64?)
    case memoryEager
    case memoryLeastUsed(byteCountMax: Int64?)

    private static let byteCountMin: Int64 = 1 << 20

    /// Reads a program's settings. Only Hearth's own kinds are known.
    init(_ settings: any LocalCacheSettings) {
        switch settings {
        case let settings as PersistentCacheSettings:
            self = .persistent(byteCountMax: settings.byteCountMax)
        case let settings as MemoryCacheSettings:
            self = settings.kind
        default:
            preconditionFailure("\(type(of: settings)) are no cache settings of Hearth's")
        }
    }

    /// The settings that a program would make for this kind.
    var settings: any LocalCacheSettings {
        switch self {
        case .persistent(nil): PersistentCacheSettings()
        case .persistent(let byteCountMax?): PersistentCacheSettings(sizeBytes: byteCountMax)
        case .memoryEager: MemoryCacheSettings()
        case .memoryLeastUsed(nil):
            MemoryCacheSettings(garbageCollectorSettings: MemoryLRUGCSettings())
        case .memoryLeastUsed(let byteCountMax?):
            MemoryCacheSettings(
                garbageCollectorSettings: MemoryLRUGCSettings(sizeBytes: byteCountMax))
        }
    }

    /// Checks a size. A size that no cache can have stops the program.
    @discardableResult
    static func check(_ byteCountMax: Int64) -> Int64 {
        precondition(
            byteCountMax == FirestoreCacheSizeUnlimited || byteCountMax >= byteCountMin,
            "A cache of \(byteCountMax) bytes is too small: it needs 1 MiB, or no limit")
        return byteCountMax
    }
}
