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
        let code = try object.optionalInteger("errorCode") ?? 0
        var changes: [DocumentChange] = []
        for (name, kind) in Self.kinds {
            for json in try object.optionalArray(name) ?? [] {
                changes.append(DocumentChange(kind, try document(json, at: object.place)))
            }
        }
        let event = StoryEvent(
            query: query,
            errorCode: code == 0 ? nil : Int32(exactly: code).flatMap(StatusCode.init),
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
        // A single client is always primary and alone; indexes are a matter of several clients.
        for name in ["isPrimary", "numActiveClients", "indexes"] { _ = object.take(name) }
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
        guard let first = try object.array("queries").first else {
            throw object.fail("an active target has a query")
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
            target: try query(first, at: object.place).target, resumePoint: resumePoint,
            purpose: purpose, expectedCount: try object.optionalInteger("expectedCount"))
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
