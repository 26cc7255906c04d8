import HearthModel

/// Where a one-time read may look.
public enum FirestoreSource: Hashable, Sendable {
    /// The backend if it can be reached, else the machine's cache.
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

/// From where a listener is told.
public enum ListenSource: Hashable, Sendable {
    /// From the backend, and from the cache until it has spoken.
    case `default`
    /// From the machine's cache alone.
    case cache
}

/// What a field shows whose server timestamp the backend has not set yet.
public enum ServerTimestampBehavior: Hashable, Sendable {
    /// Null.
    case none
    /// The time at which the write was accepted on this machine.
    case estimate
    /// What the field held before the write.
    case previous
}

/// How a listener wants to be told.
public struct SnapshotListenOptions: Hashable, Sendable {
    /// From where it is told.
    public let source: ListenSource
    /// Whether it is told of changes that concern only `metadata`.
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
