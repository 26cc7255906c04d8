import HearthFirestore
import HearthModel

/// What a step must cause.
extension StoryReader {
    func expectation(_ step: inout StoryObject) throws(StoryError) -> StoryExpectation {
        var expected = StoryExpectation()
        for event in try step.optionalArray("expectedSnapshotEvents") ?? [] {
            expected.events.append(try self.event(StoryObject(event, at: step.place)))
        }
        expected.snapshotsInSyncCount =
            try step.optionalInteger("expectedSnapshotsInSyncEvents") ?? 0
        expected.pendingWritesWaitCount =
            try step.optionalInteger("expectedWaitForPendingWritesEvents") ?? 0
        if let state = try step.optionalObject("expectedState") {
            try takeState(state, into: &expected)
        }
        return expected
    }

    private func event(_ object: StoryObject) throws(StoryError) -> StoryEvent {
        var object = object
        let query = try query(object.require("query"), at: object.place)
        let number = try object.optionalInteger("errorCode") ?? 0
        guard let code = Int32(exactly: number).flatMap(StatusCode.init) else {
            throw object.fail("\(number) is no status code")
        }
        var changes: [DocumentChange] = []
        for (name, kind) in Self.kinds {
            for json in try object.optionalArray(name) ?? [] {
                changes.append(DocumentChange(kind, try document(json, at: object.place)))
            }
        }
        let event = StoryEvent(
            query: query,
            errorCode: code == .ok ? nil : code,
            isFromCache: try object.optionalBoolean("fromCache") ?? false,
            hasPendingWrites: try object.optionalBoolean("hasPendingWrites") ?? false,
            changes: changes)
        try object.finish()
        return event
    }

    private static let kinds: [(String, DocumentChange.Kind)] = [
        ("removed", .removed), ("added", .added), ("modified", .modified), ("metadata", .metadata),
    ]

    private func takeState(_ object: StoryObject, into expected: inout StoryExpectation)
        throws(StoryError)
    {
        var object = object
        expected.outstandingWriteCount = try object.optionalInteger("numOutstandingWrites")
        expected.writeRequestCount = try object.optionalInteger("writeStreamRequestCount")
        expected.watchRequestCount = try object.optionalInteger("watchStreamRequestCount")
        expected.isShutdown = try object.optionalBoolean("isShutdown")
        if let limbo = try object.optionalArray("activeLimboDocs") {
            expected.activeLimbo = try keys(limbo, at: object.place)
        }
        if let limbo = try object.optionalArray("enqueuedLimboDocs") {
            expected.enqueuedLimbo = try keys(limbo, at: object.place)
        }
        if let targets = try object.optionalObject("activeTargets") {
            expected.activeTargets = try activeTargets(targets)
        }
        if var callbacks = try object.optionalObject("userCallbacks") {
            expected.acknowledgedDocuments = try keys(
                callbacks.optionalArray("acknowledgedDocs"), at: object.place)
            expected.rejectedDocuments = try keys(
                callbacks.optionalArray("rejectedDocs"), at: object.place)
            try callbacks.finish()
        }
        expected.isPrimary = try object.optionalBoolean("isPrimary")
        expected.activeClientCount = try object.optionalInteger("numActiveClients")
        if let indexes = try object.optionalArray("indexes") {
            expected.indexes = try self.indexes(indexes, at: object.place)
        }
        try object.finish()
    }

    private func activeTargets(_ object: StoryObject) throws(StoryError) -> [TargetID: StoryTarget]
    {
        var object = object
        var targets: [TargetID: StoryTarget] = [:]
        for name in object.rest {
            guard let id = Int32(name) else { throw object.fail("\"\(name)\" is no target") }
            targets[TargetID(id)] = try activeTarget(object.object(name))
        }
        return targets
    }

    private func activeTarget(_ object: StoryObject) throws(StoryError) -> StoryTarget {
        var object = object
        var queries: [Query] = []
        for json in try object.array("queries") {
            queries.append(try query(json, at: object.place))
        }
        guard let first = queries.first?.target, queries.allSatisfy({ $0.target == first }) else {
            throw object.fail("an active target has queries, all of that target")
        }
        var resumePoint = ResumePoint.start
        if let token = token(try object.optionalString("resumeToken")) {
            resumePoint = .token(token)
        }
        if let time = object.take("readTime"), time.integer != 0, resumePoint == .start {
            resumePoint = .readTime(try version(time, at: object.place))
        }
        let purpose = try purpose(object.optionalString("targetPurpose"), at: object.place)
        let target = StoryTarget(
            target: first, resumePoint: resumePoint, purpose: purpose,
            expectedCount: try object.optionalInteger("expectedCount"))
        try object.finish()
        return target
    }

    private func purpose(_ name: String?, at place: String) throws(StoryError) -> TargetPurpose {
        switch name {
        case nil, "TargetPurposeListen": .listen
        case "TargetPurposeExistenceFilterMismatch": .existenceFilterMismatch
        case "TargetPurposeExistenceFilterMismatchBloom": .existenceFilterMismatchBloom
        case "TargetPurposeLimboResolution": .limboResolution
        case let other?: throw StoryError(place: place, reason: "no purpose is \"\(other)\"")
        }
    }
}
