/// A figure that the daemon tells monitoring; the raw value is its name there.
package enum Metric: String, CaseIterable, Sendable {
    case info = "hearth_info"
    case uptime = "hearth_uptime_seconds"
    case degraded = "hearth_degraded"
    case syncState = "hearth_sync_state"
    case storeFailing = "hearth_store_failing"
    case clients = "hearth_clients"
    case listeners = "hearth_listeners"
    case targets = "hearth_targets"
    case queueBatches = "hearth_queue_batches"
    case queueAge = "hearth_queue_oldest_age_seconds"
    case deadLetters = "hearth_dead_letters"
    case storeLosses = "hearth_store_losses"
    case acceptedWrites = "hearth_writes_accepted_total"
    case committedWrites = "hearth_writes_committed_total"
    case rejectedWrites = "hearth_writes_rejected_total"
    case refusedRequests = "hearth_requests_refused_total"
    case snapshots = "hearth_snapshots_total"
    case upstreamCommit = "hearth_upstream_commit_seconds"
    case storeCommit = "hearth_store_commit_seconds"
    case turn = "hearth_turn_processor_seconds"
    case cacheBytes = "hearth_cache_bytes"
    case cacheDocuments = "hearth_cache_documents"
    case collections = "hearth_collections_total"
    case collectedDocuments = "hearth_collected_documents_total"
    case documentReads = "hearth_document_reads_total"
    case documentReadsAlone = "hearth_document_reads_alone_total"
    case historyEntries = "hearth_history_entries"
    case historyBytes = "hearth_history_bytes"

    /// What kinds monitoring tells apart.
    package enum Kind: String, Sendable {
        /// Goes up and down.
        case gauge
        /// Only ever grows while the daemon runs.
        case counter
        /// How often something took how long.
        case histogram
    }

    /// Which kind it is.
    package var kind: Kind {
        switch self {
        case .info, .uptime, .degraded, .syncState, .storeFailing, .clients, .listeners, .targets,
            .queueBatches, .queueAge, .deadLetters, .storeLosses, .cacheBytes, .cacheDocuments,
            .historyEntries, .historyBytes:
            .gauge
        case .acceptedWrites, .committedWrites, .rejectedWrites, .refusedRequests, .snapshots,
            .collections, .collectedDocuments, .documentReads, .documentReadsAlone:
            .counter
        case .upstreamCommit, .storeCommit, .turn: .histogram
        }
    }

    /// The meaning of the metric, in a sentence without the full stop.
    package var help: String {
        switch self {
        case .info: "Always 1; the label version is the daemon's"
        case .uptime: "How long the daemon has run"
        case .degraded: "Whether the daemon does less than it should; hearth status tells why"
        case .syncState: "1 for the state in which the cache is to the backend, 0 for the others"
        case .storeFailing: "Whether the database cannot be opened or written"
        case .clients: "Connected processes"
        case .listeners: "Their listeners"
        case .targets: "Queries that are watched or can be resumed"
        case .queueBatches: "Batches of writes that wait for the backend"
        case .queueAge: "How long the oldest of them has waited; 0 if there is none"
        case .deadLetters: "Rejected batches on which nobody has decided"
        case .storeLosses: "Losses of the database of which nobody has taken note"
        case .acceptedWrites: "Writes that became durable on this machine"
        case .committedWrites: "Batches that the backend committed"
        case .rejectedWrites: "Batches that the backend refused for good"
        case .refusedRequests: "Requests of programs that the daemon refused"
        case .snapshots: "Snapshots handed to listeners"
        case .upstreamCommit: "How long the backend took to commit a batch that was sent"
        case .storeCommit: "How long a group of changes took to become durable"
        case .turn: "How much processor time a turn took, without what it waited for"
        case .cacheBytes: "Bytes of the database in use"
        case .cacheDocuments: "Documents in the cache"
        case .collections: "Runs of the collection of unused documents"
        case .collectedDocuments: "Documents that were collected"
        case .documentReads: "Document reads that the backend bills, told once a minute"
        case .documentReadsAlone:
            "What the same would have cost without cache and sharing, told once a minute"
        case .historyEntries: "Steps in the history of documents"
        case .historyBytes: "Bytes of the history of documents"
        }
    }
}
