import HearthModel

/// Where a one-time read may look.
public enum FirestoreSource: Hashable, Sendable {
    /// The backend if the daemon can reach the backend, else the machine's cache.
    case `default`
    /// The backend alone.
    case server
    /// The machine's cache alone; answered at once.
    case cache

    var wire: ReadSource {
        switch self {
        case .default: .default
        case .server: .server
        case .cache: .cache
        }
    }
}

/// The source of a listener's snapshots.
public enum ListenSource: Hashable, Sendable {
    /// The backend, and the cache until the backend has answered.
    case `default`
    /// The machine's cache alone.
    case cache
}

/// What a field shows while the backend has not set the field's server timestamp.
public enum ServerTimestampBehavior: Hashable, Sendable {
    /// Null.
    case none
    /// The time when the daemon accepted the write.
    case estimate
    /// The field's value before the write.
    case previous
}

/// The options of a listener.
public struct SnapshotListenOptions: Hashable, Sendable {
    /// The source of the snapshots.
    public let source: ListenSource
    /// Whether the listener also gets changes that concern only `metadata`.
    public let includeMetadataChanges: Bool

    /// The options of a plain listener.
    public init() {
        self.init(source: .default, includeMetadataChanges: false)
    }

    private init(source: ListenSource, includeMetadataChanges: Bool) {
        self.source = source
        self.includeMetadataChanges = includeMetadataChanges
    }

    /// The same options with another source.
    public func withSource(_ source: ListenSource) -> SnapshotListenOptions {
        SnapshotListenOptions(source: source, includeMetadataChanges: includeMetadataChanges)
    }

    /// The same options, with or without changes of metadata.
    public func withIncludeMetadataChanges(_ include: Bool) -> SnapshotListenOptions {
        SnapshotListenOptions(source: source, includeMetadataChanges: include)
    }

    var wire: ListenOptions {
        ListenOptions(
            includeMetadataChanges: includeMetadataChanges, isCacheOnly: source == .cache)
    }
}
