package import HearthFirestore
package import HearthModel

/// Tells a whole engine a story in Swift: the actors' steps, and the events that must follow.
///
/// The backend's part is played message by message. Versions are microseconds, tokens are text.
package struct FirestoreSpec {
    /// What did not come as expected.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// What was expected, and what came.
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The engine and all around it.
    package let driver: StoryDriver

    /// Starts an engine with an empty store.
    package init(
        on backing: StoryBacking = .memory, collection: CollectionPolicy? = nil,
        limboResolutionCountMax: Int = 100, bundleSlices: BundleSlices = BundleSlices()
    ) throws {
        var configuration = FirestoreEngine.Configuration(
            database: StoryReader.database, limboResolutionCountMax: limboResolutionCountMax)
        if let collection { configuration.collection = collection }
        configuration.bundleSlices = bundleSlices
        driver = try StoryDriver(backing, configuration: configuration)
    }

    /// A version by its microseconds.
    package static func version(_ microseconds: Int64) -> SnapshotVersion {
        SnapshotVersion(Timestamp(microseconds: microseconds))
    }

    // MARK: Users

    /// Somebody subscribes; what they hear at once waits to be expected.
    package func userListens(
        to query: Query, includeMetadataChanges: Bool = true, isCacheOnly: Bool = false
    ) {
        driver.listen(
            to: query,
            ListenOptions(
                includeMetadataChanges: includeMetadataChanges, isCacheOnly: isCacheOnly))
    }

    /// The newest subscription to a query ends.
    package func userUnlistens(from query: Query) throws {
        guard driver.unlisten(from: query) else {
            throw Failure("nobody listens to \(query.canonicalID)")
        }
    }

    /// Somebody writes.
    package func userWrites(_ mutations: Mutation...) {
        driver.write(mutations)
    }

    // MARK: The watch stream

    /// The backend takes up a target. `name` picks one of its names on the wire, the oldest first.
    package func watchAcknowledges(_ query: Query, name: Int? = nil) throws {
        try watch(.target(.init(kind: .added, targets: [try wire(query, name)])))
    }

    /// The backend lets go of a target, or refuses it.
    package func watchRemoves(
        _ query: Query, name: Int? = nil, cause: HearthError? = nil
    ) throws {
        let wire = try wire(query, name)
        if cause != nil { driver.upstream.refuse(wire) }
        try watch(.target(.init(kind: .removed(cause), targets: [wire])))
    }

    /// The backend takes back what it said of a target.
    package func watchResets(_ query: Query, name: Int? = nil) throws {
        try watch(.target(.init(kind: .reset, targets: [try wire(query, name)])))
    }

    /// The backend names documents of a target.
    package func watchSends(_ documents: [Document], to query: Query, name: Int? = nil) throws {
        let wire = try wire(query, name)
        for document in documents {
            try watch(
                .document(
                    .init(updated: [wire], removed: [], key: document.key, document: document)))
        }
    }

    /// Documents leave a target.
    package func watchTakes(_ keys: [DocumentKey], from query: Query, name: Int? = nil) throws {
        let wire = try wire(query, name)
        for key in keys {
            try watch(.document(.init(updated: [], removed: [wire], key: key, document: nil)))
        }
    }

    /// A document of a target is deleted.
    package func watchDeletes(_ key: DocumentKey, from query: Query, at microseconds: Int64) throws
    {
        let gone = Document.missing(key, at: Self.version(microseconds))
        try watch(
            .document(
                .init(updated: [], removed: [try wire(query, nil)], key: key, document: gone)))
    }

    /// The backend tells how many documents a target has.
    package func watchFilters(
        _ query: Query, count: Int, unchanged bloomFilter: BloomFilter? = nil, name: Int? = nil
    ) throws {
        try watch(
            .existenceFilter(
                .init(target: try wire(query, name), count: count, unchangedNames: bloomFilter)))
    }

    /// The backend has said all of a target, and of everything up to a version.
    package func watchMarksCurrent(
        _ query: Query, name: Int? = nil, resumeToken: String, at microseconds: Int64
    ) throws {
        let change = TargetWatchChange(
            kind: .current, targets: [try wire(query, name)],
            resumeToken: ResumeToken(Array(resumeToken.utf8)))
        try watch(.target(change))
        try watchReachesSnapshot(at: microseconds)
    }

    /// The backend has said everything up to a version.
    package func watchReachesSnapshot(at microseconds: Int64) throws {
        try watch(
            .target(
                .init(kind: .noChange, targets: [], readAt: Self.version(microseconds))))
    }

    /// The backend takes up a target and says all of it.
    package func watchAnswers(
        _ query: Query, with documents: [Document], resumeToken: String, at microseconds: Int64
    ) throws {
        try watchAcknowledges(query)
        try watchSends(documents, to: query)
        try watchMarksCurrent(query, resumeToken: resumeToken, at: microseconds)
    }

    /// The backend answers a limbo lookup: there is no such document.
    package func watchDeniesExistence(of key: DocumentKey, at microseconds: Int64) throws {
        try watchAnswers(
            Query(document: key), with: [], resumeToken: "limbo-\(microseconds)", at: microseconds)
    }

    /// The watch stream breaks, and is opened again without waiting.
    package func watchCloses(_ code: StatusCode = .unavailable) throws {
        guard let number = driver.upstream.watch else { throw Failure("no watch stream is open") }
        driver.upstream.closeWatch()
        driver.receive(
            .watchClosed(number, HearthError(code: code, message: "The spec says so.")))
        driver.fire(upTo: .watchBackoff)
    }

    /// The backend says something on the watch stream.
    package func watch(_ change: WatchChange) throws {
        guard let number = driver.upstream.watch else { throw Failure("no watch stream is open") }
        driver.receive(.watched(number, change))
    }

    private func wire(_ query: Query, _ name: Int?) throws -> WireTargetID {
        let key = query.documentKey.flatMap { driver.engine.activeLimboTargets[$0] }
        if let id = driver.engine.targetID(for: query) ?? key {
            return driver.upstream.name(of: id, index: name)
        }
        // Nobody asks for the target any more, but its old names may still be heard.
        let past = driver.upstream.names(of: query.target)
        guard !past.isEmpty else { throw Failure("\(query.canonicalID) was never watched") }
        return past[name ?? past.count - 1]
    }

    // MARK: The write stream

    /// The backend commits the oldest write.
    package func writeIsCommitted(at microseconds: Int64, transformResults: [Value] = []) throws {
        guard let number = driver.upstream.write, let sent = driver.upstream.takeSent() else {
            throw Failure("no write was sent")
        }
        let version = Self.version(microseconds)
        let results = sent.map {
            Mutation.Result(
                version: version, transformResults: $0.transforms.isEmpty ? [] : transformResults)
        }
        if !driver.userWrites.isEmpty { driver.userWrites.removeFirst() }
        driver.receive(
            .writeAnswered(
                number,
                WriteAnswer(
                    token: driver.upstream.nextToken(), committedAt: version, results: results)))
    }

    /// The backend ends the write stream over the oldest write.
    package func writeFails(_ code: StatusCode) throws {
        guard let number = driver.upstream.write else { throw Failure("no write stream is open") }
        driver.upstream.closeWrite()
        driver.receive(
            .writeClosed(number, HearthError(code: code, message: "The spec says so.")))
        driver.fire(upTo: .writeBackoff)
    }
}
