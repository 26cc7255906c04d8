package import HearthModel

/// What a batch of the queue writes, by the kind of its database.
package enum BatchContent: Hashable, Sendable {
    /// The documents that the batch writes to, each once, in order; and the writes, which are empty
    /// unless asked for.
    case documents([DocumentKey], [Mutation])
    /// The places that the write names, in order; and the write, if asked for.
    case places([WritePath], RealtimeChange?)

    /// The writes to documents; empty for another database, or unless asked for.
    package var mutations: [Mutation] {
        if case .documents(_, let mutations) = self { mutations } else { [] }
    }

    /// The paths of the written documents or nodes, from the root of their database.
    package var paths: [String] {
        switch self {
        case .documents(let keys, _): keys.map(\.path.string)
        case .places(let places, _): places.map(\.description)
        }
    }
}
