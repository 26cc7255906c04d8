import HashTreeCollections
import HearthModel

/// One connection: the caller, the listens, and the writes to make when the connection ends.
struct RealtimeConnection: Sendable {
    /// One listen. The same query at the same place under another tag is another listen.
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
