import HearthEngine
package import HearthFirestore
import HearthModel

/// One telling of one story: step by step, each checked before the next.
package struct StoryRun {
    private let story: Story
    private let driver: StoryDriver
    private var checker = StoryChecker()

    /// Where a story went wrong.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The step, counted from 0; `nil` before the first.
        package let step: Int?
        /// What differs: expected, and got.
        package let differences: [String]

        package var description: String {
            let place = step.map { "step \($0)" } ?? "start"
            return ([place] + differences.map { "    \($0)" }).joined(separator: "\n")
        }
    }

    private init(_ story: Story, driver: StoryDriver) {
        self.story = story
        self.driver = driver
    }

    /// Tells a story to a new engine.
    ///
    /// - Parameters:
    ///   - surveys: How looks at whole collections are taken beside the turns; `nil` if the turns take
    ///     them.
    ///   - bundleSlices: How much of a bundle goes into the cache in one turn.
    /// - Throws: `Failure` at the first step that causes something else than it must.
    package static func tell(
        _ story: Story, on backing: StoryBacking, surveys: SurveyTerms? = nil,
        bundleSlices: BundleSlices = BundleSlices()
    ) throws(Failure) {
        var configuration = FirestoreEngine.Configuration(
            database: StoryReader.database,
            limboResolutionCountMax: story.configuration.limboResolutionCountMax ?? .max)
        if !backing.isDurable, story.configuration.usesEagerCollectionInMemory {
            configuration.collection = .eager
        }
        configuration.surveys = surveys
        configuration.bundleSlices = bundleSlices
        let driver: StoryDriver
        do {
            driver = try StoryDriver(backing, configuration: configuration)
        } catch {
            throw Failure(step: nil, differences: ["the store does not open: \(error)"])
        }
        var run = StoryRun(story, driver: driver)
        for (index, step) in story.steps.enumerated() {
            var differences = run.act(step)
            differences += run.checker.check(driver, step.expected)
            if !differences.isEmpty { throw Failure(step: index, differences: differences) }
            driver.forgetHeard()
        }
    }

    // MARK: Acting

    /// What the SDKs must try again may never have failed here, and the driver has perhaps ended the
    /// wait of a stream by itself.
    private static let timersThatMayRest: Set<TimerID> = [
        .storeRetry, .watchBackoff, .writeBackoff,
    ]

    /// Carries out a step. Returns why it could not be.
    private func act(_ step: StoryStep) -> [String] {
        switch step.action {
        case .userListen, .userUnlisten, .userWrite, .addSnapshotsInSyncListener,
            .removeSnapshotsInSyncListener, .loadBundle, .waitForPendingWrites:
            actAsUser(step.action)
        case .watchAck, .watchReset, .watchCurrent, .watchRemove, .watchDocuments, .watchFilter,
            .watchSnapshot, .watchStreamClose:
            actAsWatch(step.action, wireIndex: step.wireIndex)
        case .writeAck(let version, let keepsInQueue):
            answerWrite(keepsInQueue: keepsInQueue) { number in
                let answer = WriteAnswer(
                    token: driver.upstream.nextToken(), committedAt: version,
                    results: [Mutation.Result(version: version)])
                driver.receive(.writeAnswered(number, answer))
            }
        case .failWrite(let error, let keepsInQueue): failWrite(error, keepsInQueue)
        case .runTimer, .drainQueue, .enableNetwork, .changeUser, .restart, .shutdown,
            .clearPersistence, .failDatabase, .collectGarbage, .setIndexes, .applyClientState:
            actAsClient(step.action)
        }
    }

    private func actAsUser(_ action: StoryAction) -> [String] {
        switch action {
        case .userListen(let target, let query, let options):
            driver.listen(to: query, options)
            guard let given = driver.engine.targetID(for: query), given != target else { return [] }
            return ["\(query.canonicalID) should have target \(target), and has \(given)"]
        case .userUnlisten(_, let query):
            return driver.unlisten(from: query) ? [] : ["nobody listens to \(query.canonicalID)"]
        case .userWrite(let mutation):
            driver.write([mutation])
        case .addSnapshotsInSyncListener:
            driver.listenToSync()
        case .removeSnapshotsInSyncListener:
            return driver.unlistenToSync() ? [] : ["nobody listens to snapshots in sync"]
        case .waitForPendingWrites:
            driver.waitForPendingWrites()
        case .loadBundle(let bytes):
            do {
                driver.load(try BundleReader.read(bytes, database: StoryReader.database))
            } catch {
                return ["\(error)"]
            }
        default:
            preconditionFailure("\(action) is not a user's")
        }
        return []
    }

    private func actAsClient(_ action: StoryAction) -> [String] {
        switch action {
        case .runTimer(.all): driver.fireAll()
        case .runTimer(.upTo(let timer)):
            guard driver.timers.contains(timer) || Self.timersThatMayRest.contains(timer) else {
                return ["the timer \(timer) does not run"]
            }
            driver.fire(upTo: timer)
        case .runTimer(.foreign), .applyClientState: break
        case .drainQueue: driver.drain()
        case .enableNetwork(let isEnabled): driver.setNetwork(isEnabled: isEnabled)
        case .changeUser(let user): driver.changeUser(to: user)
        case .collectGarbage(let byteCount):
            driver.take(.collectGarbage(cacheByteCountMax: byteCount))
            driver.drain()
        case .failDatabase(let names):
            driver.store.failing = Set(names.compactMap(StoreOperation.init))
            return names.filter { StoreOperation(rawValue: $0) == nil }.map {
                "the store has no step \"\($0)\" that could fail"
            }
        case .shutdown:
            driver.shutDown()
        case .restart, .clearPersistence:
            do throws(StoreError) {
                if case .restart = action {
                    try driver.restart()
                } else {
                    try driver.clearPersistence()
                }
            } catch {
                return ["the store does not open again: \(error)"]
            }
        case .setIndexes(let indexes):
            driver.setIndexes(indexes)
        default:
            preconditionFailure("\(action) is not the client's")
        }
        return []
    }

    /// Refuses the oldest write that was sent. If further writes were sent behind the refused
    /// write, the end of the stream does not name the culprit: the writes come again one by one,
    /// and the culprit is refused again.
    private func failWrite(_ error: HearthError, _ keepsInQueue: Bool) -> [String] {
        let isCrowded = driver.upstream.sent.count > 1
        func close(_ number: StreamNumber) {
            driver.upstream.closeWrite()
            driver.receive(.writeClosed(number, error))
            driver.fire(upTo: .writeBackoff)
            // The engine may ask what the backend has of a write that was sent twice. No story tells.
            while let (id, _) = driver.upstream.takeCall() {
                let silence = HearthError(code: .unavailable, message: "No story tells.")
                driver.receive(.called(id, .failed(silence)))
            }
        }
        let differences = answerWrite(keepsInQueue: keepsInQueue || isCrowded, close)
        guard differences.isEmpty, isCrowded, !keepsInQueue else { return differences }
        return answerWrite(keepsInQueue: false, close)
    }

    /// Answers the oldest write that was sent, which must be the user's oldest.
    private func answerWrite(keepsInQueue: Bool, _ answer: (StreamNumber) -> Void) -> [String] {
        guard let expected = driver.userWrites.first else {
            return ["no write waits for an answer"]
        }
        driver.fire(upTo: .writeBackoff)
        guard let number = driver.upstream.write, let sent = driver.upstream.takeSent() else {
            return ["no write was sent; expected \(StoryText.writes(expected))"]
        }
        guard sent == expected else {
            return ["sent \(StoryText.writes(sent)); expected \(StoryText.writes(expected))"]
        }
        if !keepsInQueue { driver.userWrites.removeFirst() }
        answer(number)
        return []
    }

    // MARK: The watch stream

    private func actAsWatch(_ action: StoryAction, wireIndex: Int?) -> [String] {
        guard let number = driver.upstream.watch else { return ["the watch stream is not open"] }
        func names(_ ids: [TargetID]) -> [WireTargetID] {
            ids.map { driver.upstream.name(of: $0, index: wireIndex) }
        }
        func say(_ change: WatchChange) { driver.receive(.watched(number, change)) }
        func say(_ kind: TargetWatchChange.Kind, _ wires: [WireTargetID], _ token: ResumeToken?) {
            say(.target(TargetWatchChange(kind: kind, targets: wires, resumeToken: token)))
        }
        switch action {
        case .watchAck(let ids):
            say(
                .added,
                wireIndex == nil ? ids.map { driver.upstream.nameToAdd($0) } : names(ids), nil)
        case .watchReset(let ids):
            say(.reset, names(ids), nil)
        case .watchCurrent(let ids, let token):
            say(.current, names(ids), token)
        case .watchRemove(let ids, let cause):
            let watched = driver.upstream.activeTargets
            if cause != nil, let id = ids.first(where: { watched[$0] == nil }) {
                return ["target \(id) is refused and was not watched"]
            }
            let wires =
                wireIndex == nil
                ? ids.map { driver.upstream.nameToRemove($0, isRefused: cause != nil) }
                : names(ids)
            say(.removed(cause), wires, nil)
        case .watchDocuments(let documents, let updated, let removed):
            for document in documents {
                say(
                    .document(
                        DocumentWatchChange(
                            updated: names(updated), removed: names(removed), key: document.key,
                            document: document.document)))
            }
        case .watchFilter(let id, let count, let bloomFilter):
            say(
                .existenceFilter(
                    ExistenceFilter(
                        target: driver.upstream.name(of: id, index: wireIndex), count: count,
                        unchangedNames: bloomFilter)))
        case .watchSnapshot(let version, let ids, let token):
            say(
                .target(
                    TargetWatchChange(
                        kind: .noChange, targets: names(ids), resumeToken: token, readAt: version)))
        case .watchStreamClose(let error, let runsBackoff):
            driver.upstream.closeWatch()
            driver.receive(.watchClosed(number, error))
            if runsBackoff, driver.hasListeners { driver.fire(upTo: .watchBackoff) }
        default:
            preconditionFailure("\(action) is not the watch stream's")
        }
        return []
    }
}
