package import HearthEngine

/// The steps of an engine that a store can fail in.
package enum StoreOperation: String, Hashable, Sendable, CaseIterable {
    case start = "Start"
    case allocateTarget = "Allocate target"
    case releaseTarget = "Release target"
    case executeQuery = "Execute query"
    case writeLocally = "Locally write mutations"
    case updateLocalViews = "notifyLocalViewChanges"
    case acknowledgeBatch = "Acknowledge batch"
    case rejectBatch = "Reject batch"
    case steerQueue = "Steer queue"
    case applyRemoteEvent = "Apply remote event"
    case changeUser = "Handle user change"
    case fillWritePipeline = "Get next mutation batch"
    case loadBundle = "Load bundle"
    case collectGarbage = "Collect garbage"
    case manageIndexes = "Manage indexes"
    case lastRemoteVersion = "Get last remote snapshot version"
}

/// A store that tests can make fail at the steps of an engine.
package protocol FailureInjecting: FirestoreStore {
    /// The steps that fail when a turn enters them.
    var failing: Set<StoreOperation> { get set }
}

extension StoreError {
    /// The failure of a step that a test has made fail: as if the disk had refused it.
    package static func injected(_ operation: StoreOperation) -> StoreError {
        .io("the step \"\(operation.rawValue)\" was made to fail")
    }
}
