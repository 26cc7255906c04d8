import HashTreeCollections
import HearthEngine
import HearthModel

/// A write that is to be made when a program or the connection ends.
///
///     waiting --sent--> sent --answered--> registered --program ends--> leaving --written--> (over)
///        ^                |                    |                          |
///        +---link ends----+                    +--------link ends---------+--> (over)
struct StandingOrder: Sendable {
    enum State: Hashable, Sendable {
        /// The backend never hears of it.
        case local
        /// The backend is still to be told.
        case waiting
        /// The backend was told and has not answered.
        case sent
        /// The backend has it.
        case registered
        /// Its program has ended, and the write is made here; until that is answered, the backend
        /// keeps the order. `nil` if the write could not be queued.
        case leaving(BatchID?)
    }

    /// For whom the write is made.
    struct Owner: Sendable {
        /// Whose end it waits for.
        let session: UInt64
        /// Who ordered it.
        let writer: Writer
        /// The Firebase user who was signed in.
        let user: UserID
    }

    let number: OnDisconnectTree.Number
    let owner: Owner
    let scope: OnDisconnectScope
    /// The path of an update; `nil` if one place is set.
    private let updatedPath: RealtimePath?
    /// What is to be written where. A later order takes parts away.
    var parts: TreeDictionary<WritePath, UnresolvedNode>
    var state: State
    /// Who waits for the answer: the order's own request, and the requests of the orders that it
    /// replaced.
    var askers: [RequestID] = []

    init(
        _ number: OnDisconnectTree.Number, _ change: RealtimeChange, _ scope: OnDisconnectScope,
        of owner: Owner, state: State
    ) {
        self.number = number
        self.owner = owner
        self.scope = scope
        self.state = state
        switch change {
        case .set: updatedPath = nil
        case .update(let path, _): updatedPath = path
        }
        parts = TreeDictionary(
            change.parts.map { ($0.place, $0.node) }, uniquingKeysWith: { $1 })
    }

    var session: UInt64 { owner.session }
    var writer: Writer { owner.writer }
    var user: UserID { owner.user }

    /// Whether the backend may make the write when the connection ends.
    var isUpstream: Bool {
        switch state {
        case .sent, .registered, .leaving: true
        case .local, .waiting: false
        }
    }

    /// Whether its program has ended, and the write is made here.
    var isLeaving: Bool { if case .leaving = state { true } else { false } }

    /// The places that the write names.
    var places: [WritePath] { Array(parts.keys) }

    /// What is to be written. O(n log n).
    var change: RealtimeChange { change(of: places) ?? .update(updatedPath ?? .root, []) }

    /// What the backend is asked.
    var action: RealtimeAction { Self.action(for: change) }

    /// What the backend is asked to take these places again; `nil` if the write names none of them.
    func action(for places: [WritePath]) -> RealtimeAction? {
        change(of: places).map(Self.action)
    }

    private static func action(for change: RealtimeChange) -> RealtimeAction {
        switch change {
        case .set(let place, let node): .onDisconnectPut(place, node)
        case .update(let path, let parts): .onDisconnectMerge(path, parts)
        }
    }

    private func change(of places: [WritePath]) -> RealtimeChange? {
        let parts = places.sorted { WritePath.compare($0, $1) < 0 }
            .compactMap { place in self.parts[place].map { (place, $0) } }
        guard let first = parts.first else { return nil }
        guard let updatedPath else { return .set(first.0, first.1) }
        return .update(
            updatedPath,
            parts.map { .init($0.0.dropFirst(updatedPath.depth), $0.1) })
    }

    /// About how many bytes the order takes. O(size).
    var byteCount: Int { parts.keys.reduce(0) { $0 + byteCount(of: $1) } }

    /// About how many bytes one of the places takes, with what is to be written there.
    func byteCount(of place: WritePath) -> Int {
        place.path.byteCount + (parts[place]?.byteCount ?? 0)
    }

    /// At most so many bytes of memory one of the places takes.
    func heldByteCount(of place: WritePath) -> Int {
        parts[place].map { Self.heldByteCount(of: $0, at: place) } ?? 0
    }

    /// At most so many bytes of memory all places take. O(size).
    var heldByteCount: Int { parts.keys.reduce(0) { $0 + heldByteCount(of: $1) } }

    /// At most so many bytes of memory an order of a change takes. O(size).
    static func heldByteCount(of change: RealtimeChange) -> Int {
        change.parts.reduce(0) { $0 + heldByteCount(of: $1.node, at: $1.place) }
    }

    /// An order counts twice: when its program has ended, the order stays until its write is answered.
    private static func heldByteCount(of node: UnresolvedNode, at place: WritePath) -> Int {
        2 * RealtimeChange.heldByteCount(of: node, at: place)
    }
}
