package import HearthFirestore
package import HearthModel

/// One of the sync-engine stories that Google's SDKs share, decoded: steps, and what each must
/// cause.
///
/// - Source: firebase-js-sdk `test/unit/specs`, in the JSON form of the other SDKs.
package struct Story: Sendable {
    /// How the engine is set up.
    package struct Configuration: Hashable, Sendable {
        /// How many clients play; one engine can only be one.
        package var clientCount = 1
        /// Whether a memory store collects eagerly, rather than the least used.
        package var usesEagerCollectionInMemory = false
        /// How many limbo lookups may run at a time; `nil` for any number.
        package var limboResolutionCountMax: Int?

        /// One client that collects the least used documents, with any number of lookups.
        package init() {}
    }

    /// The tags that decide where a story can be told.
    package enum Tag: Sendable {
        /// Needs several clients on one cache.
        package static let multiClient = "multi-client"
        /// Needs a cache that collects eagerly.
        package static let eagerCollection = "eager-gc"
        /// Needs a cache that outlives the client.
        package static let durable = "durable-persistence"
    }

    /// The name in its file: unique there.
    package let name: String
    /// What tells stories apart.
    package let tags: [String]
    /// How the engine is set up.
    package let configuration: Configuration
    /// The steps, in order.
    package let steps: [StoryStep]

    /// Takes the parts.
    package init(
        name: String, tags: [String], configuration: Configuration, steps: [StoryStep]
    ) {
        self.name = name
        self.tags = tags
        self.configuration = configuration
        self.steps = steps
    }

    /// Why the tags forbid telling the story to a single engine, on any store; `nil` if they do
    /// not.
    package var reasonToSkip: String? {
        if tags.contains(Tag.multiClient) {
            return "\(Tag.multiClient): \(configuration.clientCount) clients on one cache"
        }
        if tags.contains(Tag.eagerCollection), tags.contains(Tag.durable) {
            return "\(Tag.eagerCollection), \(Tag.durable): no store is both"
        }
        return nil
    }

    /// Whether the story can be told with a store of this kind.
    package func canRun(onDurable isDurable: Bool) -> Bool {
        if reasonToSkip != nil { return false }
        return isDurable ? !tags.contains(Tag.eagerCollection) : !tags.contains(Tag.durable)
    }
}

/// One step: an event, and its required effects.
package struct StoryStep: Sendable {
    /// What happens.
    package let action: StoryAction
    /// Which of the wire's names of a target a watch message uses, counted from 0; `nil` for the
    /// one that the backend would use by itself.
    package let wireIndex: Int?
    /// What it must cause.
    package let expected: StoryExpectation
}

/// What can happen in a story.
package enum StoryAction: Sendable {
    case userListen(TargetID, Query, ListenOptions)
    case userUnlisten(TargetID, Query)
    case userWrite(Mutation)
    case addSnapshotsInSyncListener
    case removeSnapshotsInSyncListener
    case loadBundle([UInt8])
    case waitForPendingWrites

    case watchAck([TargetID])
    case watchReset([TargetID])
    case watchCurrent([TargetID], ResumeToken?)
    case watchRemove([TargetID], HearthError?)
    case watchDocuments([StoryDocument], targets: [TargetID], removedTargets: [TargetID])
    case watchFilter(TargetID, count: Int, BloomFilter?)
    case watchSnapshot(SnapshotVersion, [TargetID], ResumeToken?)
    case watchStreamClose(HearthError, runsBackoff: Bool)

    case writeAck(SnapshotVersion, keepsInQueue: Bool)
    case failWrite(HearthError, keepsInQueue: Bool)

    case runTimer(StoryTimer)
    case drainQueue
    case enableNetwork(Bool)
    case changeUser(UserID)
    case restart
    case shutdown
    case clearPersistence
    /// Steps that fail from now on, by name; none ends it.
    case failDatabase([String])
    case collectGarbage(cacheByteCountMax: Int)
    case setIndexes([FieldIndex])
    /// The client is shown or hidden, or becomes the primary one; the only one always is.
    case applyClientState
}

/// A document as the backend tells of it: found or missing, or only named.
package struct StoryDocument: Hashable, Sendable {
    /// Its name.
    package let key: DocumentKey
    /// What it is; `nil` if it only left targets.
    package let document: Document?
}

/// The timers that a story can run.
package enum StoryTimer: Hashable, Sendable {
    /// Every timer.
    case all
    /// This timer, and all timers due before it.
    case upTo(TimerID)
    /// A timer of the SDKs that this engine does not need, by name.
    case foreign(String)
}

/// What a step must cause. What is `nil` is not looked at; the rest holds, also by default.
package struct StoryExpectation: Sendable {
    /// The snapshots and errors that listeners hear of; none unless listed.
    package var events: [StoryEvent] = []
    /// How often snapshots-in-sync listeners are told, all together.
    package var snapshotsInSyncCount = 0
    /// How many waits for pending writes end.
    package var pendingWritesWaitCount = 0
    /// The documents whose writes were acknowledged, in order.
    package var acknowledgedDocuments: [DocumentKey] = []
    /// The documents whose writes were rejected, in order.
    package var rejectedDocuments: [DocumentKey] = []
    /// How many batches are in the write pipeline.
    package var outstandingWriteCount: Int?
    /// How many requests the write stream has carried since the client started.
    package var writeRequestCount: Int?
    /// How many requests the watch stream has carried since the client started.
    package var watchRequestCount: Int?
    /// What is watched; in force until a later step replaces it.
    package var activeTargets: [TargetID: StoryTarget]?
    /// The limbo lookups on their way; in force until a later step replaces it.
    package var activeLimbo: [DocumentKey]?
    /// The limbo lookups that wait; in force until a later step replaces it.
    package var enqueuedLimbo: [DocumentKey]?
    /// Whether the client is shut down.
    package var isShutdown: Bool?
    /// Whether the client is the one that uses the network.
    package var isPrimary: Bool?
    /// How many clients are on the cache.
    package var activeClientCount: Int?
    /// The local indexes, in any order.
    package var indexes: [FieldIndex]?
}

/// What one listener must hear once.
package struct StoryEvent: Sendable {
    /// The listener's query.
    package let query: Query
    /// How the listener ends, if it does; the rest then does not count.
    package let errorCode: StatusCode?
    /// Whether the backend may know better.
    package let isFromCache: Bool
    /// Whether some result has unconfirmed writes.
    package let hasPendingWrites: Bool
    /// What changed, by kind.
    package let changes: [DocumentChange]
}

/// What must be watched.
package struct StoryTarget: Sendable {
    /// The target.
    package let target: Target
    /// Where it resumes.
    package let resumePoint: ResumePoint
    /// Why it is watched.
    package let purpose: TargetPurpose
    /// How many documents the cache says it holds; not looked at if `nil`.
    package let expectedCount: Int?
}
