import HearthFirestore
package import HearthModel

/// Several programs on one engine. What a spec does otherwise, session 1 does.
extension FirestoreSpec {
    /// Lets a session do something.
    package func session<Result>(_ number: UInt64, _ body: () throws -> Result) rethrows -> Result {
        let before = driver.session
        driver.session = number
        defer { driver.session = before }
        return try body()
    }

    /// Several sessions subscribe, one after the other.
    package func userListens(
        to query: Query, in sessions: [UInt64], includeMetadataChanges: Bool = true,
        isCacheOnly: Bool = false
    ) {
        for number in sessions {
            session(number) {
                userListens(
                    to: query, includeMetadataChanges: includeMetadataChanges,
                    isCacheOnly: isCacheOnly)
            }
        }
    }

    /// A session's newest subscription to a query ends.
    package func userUnlistens(from query: Query, in number: UInt64) throws {
        try session(number) { try userUnlistens(from: query) }
    }

    /// A session writes.
    package func userWrites(_ mutation: Mutation, in number: UInt64) {
        session(number) { userWrites(mutation) }
    }

    /// A session waits for the writes of all.
    package func userWaitsForWrites(in number: UInt64) {
        session(number) { driver.waitForPendingWrites() }
    }

    /// A session is for or against the use of the network.
    package func userVotes(isEnabled: Bool, in number: UInt64, administers: Bool = true) {
        session(number) { driver.vote(isEnabled: isEnabled, administers: administers) }
    }

    /// A session's program ends.
    package func programEnds(_ number: UInt64) {
        driver.disconnect(number)
    }

    /// Since the last time nobody but these sessions was told of the fate of their writes.
    package func expectAnswers(
        to sessions: [UInt64], acknowledged: [DocumentKey] = [], rejected: [DocumentKey] = []
    ) throws {
        guard driver.answeredWriters == sessions, driver.acknowledgedDocuments == acknowledged,
            driver.rejectedDocuments == rejected
        else {
            throw Failure(
                "expected answers to \(sessions): \(acknowledged) and not \(rejected); got "
                    + "\(driver.answeredWriters): \(driver.acknowledgedDocuments) and not "
                    + "\(driver.rejectedDocuments)")
        }
        driver.forgetAnswers()
    }

    /// Since the last time the waits of these sessions ended, and no others.
    package func expectEndedWaits(of sessions: [UInt64]) throws {
        guard driver.endedWaits == sessions else {
            throw Failure("expected the waits of \(sessions) to end, got \(driver.endedWaits)")
        }
        driver.forgetAnswers()
    }

    /// So many requests went over the watch stream so far.
    package func expectWatchRequests(_ count: Int) throws {
        guard driver.upstream.watchRequestCount == count else {
            throw Failure(
                "expected \(count) requests, got \(driver.upstream.watchRequestCount)")
        }
    }

    /// So many targets are watched.
    package func expectWatched(_ count: Int) throws {
        guard driver.upstream.active.count == count else {
            throw Failure("expected \(count) targets, got \(driver.upstream.active.count)")
        }
    }
}
