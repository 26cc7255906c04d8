/// What is known of one document: by the backend, or locally with pending writes on top.
///
/// Found, known to be missing, known to exist with unknown fields, or nothing known at all.
package struct Document: Hashable, Sendable {
    /// What is known of its content.
    package enum Content: Hashable, Sendable {
        /// Nothing is known but the key.
        case invalid
        /// It exists, with these fields.
        case found(MapValue)
        /// It does not exist.
        case missing
        /// It exists, but a write was acknowledged whose outcome cannot be computed here.
        case unknown
    }

    /// Whether local writes are part of the content.
    package enum State: Hashable, Sendable {
        /// As the backend said.
        case synced
        /// Some write in it waits for the backend.
        case localMutations
        /// A write in it is acknowledged, but has not come back by the watch stream.
        case committedMutations
    }

    /// The name.
    package let key: DocumentKey
    /// When the backend last changed it; zero while local writes are pending.
    package private(set) var version: SnapshotVersion
    /// What stands for the version while local writes are pending: the promise of the last batch.
    package var promisedAt: Timestamp?
    /// When the backend first made it, or as a waiting batch promises; zero if unknown.
    package var createdAt: SnapshotVersion
    /// The snapshot at which it was last read; zero if never.
    package var readAt: SnapshotVersion
    /// What is known of it.
    package private(set) var content: Content
    /// Whether local writes are part of the document.
    package private(set) var state: State

    private init(key: DocumentKey, version: SnapshotVersion, content: Content, state: State) {
        self.key = key
        self.version = version
        self.createdAt = .zero
        self.readAt = .zero
        self.content = content
        self.state = state
    }

    /// A document whose existence and content are unknown.
    package static func invalid(_ key: DocumentKey) -> Document {
        Document(key: key, version: .zero, content: .invalid, state: .synced)
    }

    /// A document that exists.
    ///
    /// - Parameters:
    ///   - key: The document's name.
    ///   - version: When the document last changed at the backend.
    ///   - fields: The document's fields.
    ///   - createdAt: When the document was made; zero if nobody knows.
    package static func found(
        _ key: DocumentKey, at version: SnapshotVersion, _ fields: MapValue,
        createdAt: SnapshotVersion = .zero
    ) -> Document {
        var document = Document(key: key, version: version, content: .found(fields), state: .synced)
        document.createdAt = createdAt
        return document
    }

    /// A document that does not exist.
    package static func missing(_ key: DocumentKey, at version: SnapshotVersion) -> Document {
        Document(key: key, version: version, content: .missing, state: .synced)
    }

    /// A document that exists with fields that cannot be known here.
    package static func unknown(_ key: DocumentKey, at version: SnapshotVersion) -> Document {
        Document(key: key, version: version, content: .unknown, state: .committedMutations)
    }

    /// Equal in all that a listener can see: promises and the times of creation and reading do not
    /// count.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.key == rhs.key && lhs.version == rhs.version && lhs.state == rhs.state
            && lhs.content == rhs.content
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(version)
    }
}

extension Document {
    /// It exists and its fields are known.
    package var isFound: Bool {
        if case .found = content { return true }
        return false
    }

    /// It is known not to exist.
    package var isMissing: Bool { content == .missing }

    /// It exists with unknown fields.
    package var isUnknown: Bool { content == .unknown }

    /// It is known to exist.
    package var exists: Bool { isFound || isUnknown }

    /// Something is known of it.
    package var isValid: Bool { content != .invalid }

    /// Some write in it waits for the backend.
    package var hasLocalMutations: Bool { state == .localMutations }

    /// A write in it is acknowledged and not yet watched.
    package var hasCommittedMutations: Bool { state == .committedMutations }

    /// Some write in it is not yet confirmed by the watch stream.
    package var hasPendingWrites: Bool { hasLocalMutations || hasCommittedMutations }

    /// The fields; empty unless found.
    package var fields: MapValue {
        if case .found(let fields) = content { return fields }
        return .empty
    }

    /// The value at a path; `__name__` is not a field.
    package subscript(path: FieldPath) -> Value? { fields[path] }

    /// Makes it a synced document with these fields.
    package mutating func becomeFound(at version: SnapshotVersion, _ fields: MapValue) {
        self.version = version
        content = .found(fields)
        state = .synced
        promisedAt = nil
    }

    /// Makes it a synced document that does not exist.
    package mutating func becomeMissing(at version: SnapshotVersion) {
        self.version = version
        content = .missing
        state = .synced
        promisedAt = nil
    }

    /// Makes it a document that exists with unknown fields.
    package mutating func becomeUnknown(at version: SnapshotVersion) {
        self.version = version
        content = .unknown
        state = .committedMutations
        promisedAt = nil
    }

    /// Marks that local writes are part of the document, and sets the version to zero.
    package mutating func markLocalMutations() {
        state = .localMutations
        version = .zero
    }

    /// Marks that an acknowledged write is part of the document.
    package mutating func markCommittedMutations() {
        state = .committedMutations
    }
}
