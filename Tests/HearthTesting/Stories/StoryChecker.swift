import HearthFirestore
import HearthModel

/// Compares a step's effects with the required effects. Some expectations stay in force.
package struct StoryChecker: Sendable {
    private var activeTargets: [TargetID: StoryTarget] = [:]
    private var activeLimbo: [DocumentKey] = []
    private var enqueuedLimbo: [DocumentKey] = []

    /// Expects nothing yet.
    package init() {}

    /// Every difference, readable.
    package mutating func check(_ driver: StoryDriver, _ expected: StoryExpectation) -> [String] {
        if let targets = expected.activeTargets { activeTargets = targets }
        if let limbo = expected.activeLimbo { activeLimbo = limbo }
        if let limbo = expected.enqueuedLimbo { enqueuedLimbo = limbo }
        var differences = EventChecker.check(driver.heard, expected.events)
        func compare<T: Equatable>(_ what: String, _ expected: T?, _ got: @autoclosure () -> T) {
            guard let expected else { return }
            let got = got()
            if got != expected {
                differences.append("\(what): expected \(expected), got \(got)")
            }
        }
        compare("snapshots in sync", expected.snapshotsInSyncCount, driver.snapshotsInSyncCount)
        compare(
            "ended waits for pending writes", expected.pendingWritesWaitCount,
            driver.pendingWritesWaitCount)
        compare("acknowledged", expected.acknowledgedDocuments, driver.acknowledgedDocuments)
        compare("rejected", expected.rejectedDocuments, driver.rejectedDocuments)
        compare(
            "outstanding writes", expected.outstandingWriteCount,
            driver.engine.outstandingWriteCount)
        compare(
            "write stream requests", expected.writeRequestCount, driver.upstream.writeRequestCount)
        compare(
            "watch stream requests", expected.watchRequestCount, driver.upstream.watchRequestCount)
        compare("is shut down", expected.isShutdown, driver.isShutdown)
        // The engine is the only client there is.
        compare("is primary", expected.isPrimary, true)
        compare("active clients", expected.activeClientCount, driver.isShutdown ? 0 : 1)
        compare(
            "indexes",
            expected.indexes?.filter { _ in driver.keepsIndexes }.map(\.description).sorted(),
            driver.indexes().map(\.description).sorted())
        guard !driver.isShutdown else { return differences }
        return differences + checkLimbo(driver) + checkTargets(driver)
    }

    private func checkLimbo(_ driver: StoryDriver) -> [String] {
        var differences: [String] = []
        let active = driver.engine.activeLimboTargets
        if active.keys.sorted() != activeLimbo.sorted() {
            differences.append(
                "active limbo: expected \(activeLimbo.sorted()), got \(active.keys.sorted())")
        }
        // Without a stream the lookups only wait for one.
        for (key, id) in active where driver.upstream.watch != nil && activeTargets[id] == nil {
            differences.append("limbo \(key) is looked up by target \(id), which is not expected")
        }
        let enqueued = driver.engine.enqueuedLimboKeys.sorted()
        if enqueued != enqueuedLimbo.sorted() {
            differences.append(
                "enqueued limbo: expected \(enqueuedLimbo.sorted()), got \(enqueued)")
        }
        return differences
    }

    private func checkTargets(_ driver: StoryDriver) -> [String] {
        let actual = driver.upstream.activeTargets
        guard driver.isNetworkEnabled else {
            return actual.isEmpty
                ? [] : ["targets are watched with the network off: \(actual.keys)"]
        }
        var differences: [String] = []
        for (id, expected) in activeTargets.sorted(by: { $0.key < $1.key }) {
            guard let request = actual[id] else {
                differences.append("target \(id) should be watched: \(StoryText.target(expected))")
                continue
            }
            differences += StoryText.differences(of: request, from: expected).map {
                "target \(id): \($0)"
            }
        }
        for (id, request) in actual.sorted(by: { $0.key < $1.key }) where activeTargets[id] == nil {
            differences.append("target \(id) should not be watched: \(request.target.canonicalID)")
        }
        return differences
    }
}

/// Compares the listeners' events with the required events.
enum EventChecker {
    static func check(_ heard: [StoryDriver.Heard], _ expected: [StoryEvent]) -> [String] {
        let heard = heard.sorted { utf8Precedes($0.query.canonicalID, $1.query.canonicalID) }
        let expected = expected.sorted { utf8Precedes($0.query.canonicalID, $1.query.canonicalID) }
        guard heard.count == expected.count,
            zip(heard, expected).allSatisfy({ $0.query == $1.query })
        else {
            return ["expected \(expected.count) events, got \(heard.count)"]
                + expected.map { "  expected \(StoryText.event($0))" }
                + heard.map { "  got      \(StoryText.heard($0))" }
        }
        return zip(heard, expected).flatMap { differences(of: $0, from: $1) }
    }

    private static func differences(
        of heard: StoryDriver.Heard, from expected: StoryEvent
    ) -> [String] {
        let isSame =
            switch heard.result {
            case .failure(let error): expected.errorCode == error.code
            case .success(let snapshot):
                expected.errorCode == nil && snapshot.isFromCache == expected.isFromCache
                    && snapshot.hasPendingWrites == expected.hasPendingWrites
                    && sorted(snapshot.changes) == sorted(expected.changes)
            }
        if isSame { return [] }
        return ["expected \(StoryText.event(expected))", "got      \(StoryText.heard(heard))"]
    }

    /// By kind as a snapshot lists them, then by key.
    private static func sorted(_ changes: [DocumentChange]) -> [DocumentChange] {
        func rank(_ change: DocumentChange) -> Int {
            switch change.kind {
            case .removed: 0
            case .added: 1
            case .modified: 2
            case .metadata: 3
            }
        }
        return changes.sorted {
            rank($0) != rank($1) ? rank($0) < rank($1) : $0.document.key < $1.document.key
        }
    }
}
