import HearthFirestore
package import HearthModel

/// What must have come of it. Each expectation removes its event from the events that were heard.
extension FirestoreSpec {
    /// The next event of a query's listeners, in one session or in any, is this snapshot.
    package func expectSnapshot(
        of query: Query, added: [Document] = [], modified: [Document] = [],
        removed: [Document] = [], metadata: [Document] = [], isFromCache: Bool,
        hasPendingWrites: Bool = false, in session: UInt64? = nil
    ) throws {
        let changes =
            removed.map { DocumentChange(.removed, $0) } + added.map { DocumentChange(.added, $0) }
            + modified.map { DocumentChange(.modified, $0) }
            + metadata.map { DocumentChange(.metadata, $0) }
        let expected = StoryEvent(
            query: query, errorCode: nil, isFromCache: isFromCache,
            hasPendingWrites: hasPendingWrites, changes: changes)
        try expect(expected, in: session)
    }

    /// The next event of a query's listener, in one session or in any, is its end.
    package func expectError(
        of query: Query, _ code: StatusCode, in session: UInt64? = nil
    ) throws {
        try expect(
            StoryEvent(
                query: query, errorCode: code, isFromCache: false, hasPendingWrites: false,
                changes: []), in: session)
    }

    private func expect(_ expected: StoryEvent, in session: UInt64?) throws {
        guard let heard = driver.takeHeard(of: expected.query, in: session) else {
            throw Failure("expected \(StoryText.event(expected)), got nothing")
        }
        let differences = EventChecker.check([heard], [expected])
        if !differences.isEmpty { throw Failure(differences.joined(separator: "\n")) }
    }

    /// Nobody has heard anything that was not expected yet.
    package func expectSilence() throws {
        guard driver.heard.isEmpty else {
            throw Failure("nobody expected \(driver.heard.map(StoryText.heard))")
        }
    }

    /// These documents are being looked up, and no others.
    package func expectLimbo(_ keys: [DocumentKey], waiting: [DocumentKey] = []) throws {
        let active = driver.engine.activeLimboTargets.keys.sorted()
        let enqueued = driver.engine.enqueuedLimboKeys
        guard active == keys.sorted(), enqueued.sorted() == waiting.sorted() else {
            throw Failure(
                "expected limbo \(keys.sorted()) and \(waiting), got \(active) and \(enqueued)")
        }
    }

    /// The target of a query is watched, by this request.
    package func expectListen(
        to query: Query, from point: ResumePoint = .start, expectedCount: Int? = nil,
        purpose: TargetPurpose = .listen
    ) throws {
        let request = driver.upstream.active.values.filter { $0.target == query.target }
            .max { $0.wireID < $1.wireID }
        guard let request else { throw Failure("\(query.canonicalID) is not watched") }
        let expected = StoryTarget(
            target: query.target, resumePoint: point, purpose: purpose, expectedCount: nil)
        var differences = StoryText.differences(of: request, from: expected)
        if request.expectedCount != expectedCount {
            differences.append(
                "expected the count \(StoryText.count(expectedCount)), got "
                    + StoryText.count(request.expectedCount))
        }
        if !differences.isEmpty { throw Failure(differences.joined(separator: "\n")) }
    }

    /// The target of a query is not watched.
    package func expectNoListen(to query: Query) throws {
        guard !driver.upstream.active.values.contains(where: { $0.target == query.target }) else {
            throw Failure("\(query.canonicalID) is still watched")
        }
    }
}
