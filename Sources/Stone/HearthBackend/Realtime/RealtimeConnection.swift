import HashTreeCollections
import HearthModel

/// One connection: who asks, what it listens to, and what is to be written when it ends.
struct RealtimeConnection: Sendable {
    /// One listen. The same query at the same place under another tag is another.
    struct ListenKey: Hashable, Sendable {
        let path: RealtimePath
        let query: QueryParameters
        let tag: Int?
    }

    let namespace: RealtimeNamespace
    var caller: RealtimeCaller
    var listens: TreeSet<ListenKey> = []
    var disconnectWrites = DisconnectWrites()
}
