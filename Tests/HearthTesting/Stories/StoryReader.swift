package import HearthModel

/// Reads stories from the JSON form that Google's SDKs share. Every member must be known.
package struct StoryReader: Sendable {
    /// The database that the stories are about.
    package let database: DatabaseID

    /// The database of the stories' bundles and Bloom filters.
    package static let database = DatabaseID(project: "test-project")

    /// Reads stories about `database`.
    package init(database: DatabaseID = StoryReader.database) {
        self.database = database
    }

    /// Reads a file: an object of stories by name.
    ///
    /// - Returns: The stories, sorted by name; a story that cannot be read is there as its error.
    /// - Throws: `StoryError` if the file is no such object.
    package func read(_ bytes: [UInt8], file: String) throws(StoryError)
        -> [(name: String, story: Result<Story, StoryError>)]
    {
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes)
        } catch {
            throw StoryError(place: file, reason: error.description)
        }
        guard let members = json.members else {
            throw StoryError(place: file, reason: "stories stand in an object")
        }
        return members.sorted { utf8Precedes($0.name, $1.name) }.map { member in
            (
                member.name,
                Result { () throws(StoryError) in
                    try story(member.value, name: member.name)
                }
            )
        }
    }

    private func story(_ json: JSONValue, name: String) throws(StoryError) -> Story {
        var object = try StoryObject(json, at: name)
        for label in ["describeName", "itName", "comment"] {
            _ = try object.optionalString(label)
        }
        let tags = try strings(object.optionalArray("tags") ?? [], at: object.place)
        var configuration = Story.Configuration()
        if let config = try object.optionalObject("config") {
            configuration = try self.configuration(config)
        }
        guard configuration.clientCount == 1 || tags.contains(Story.Tag.multiClient) else {
            throw object.fail(
                "\(configuration.clientCount) clients play, and no tag \"\(Story.Tag.multiClient)\" says so"
            )
        }
        var steps: [StoryStep] = []
        for (index, step) in try object.array("steps").enumerated() {
            let place = "\(name), step \(index)"
            steps.append(
                try self.step(StoryObject(step, at: place), of: configuration.clientCount))
        }
        try object.finish()
        return Story(name: name, tags: tags, configuration: configuration, steps: steps)
    }

    private func configuration(_ object: StoryObject) throws(StoryError) -> Story.Configuration {
        var object = object
        var configuration = Story.Configuration()
        configuration.clientCount = try object.optionalInteger("numClients") ?? 1
        let former = try object.optionalBoolean("useGarbageCollection")
        configuration.usesEagerCollectionInMemory =
            try object.optionalBoolean("useEagerGCForMemory") ?? former ?? false
        configuration.limboResolutionCountMax =
            try object.optionalInteger("maxConcurrentLimboResolutions")
        try object.finish()
        return configuration
    }

    private func step(_ object: StoryObject, of clientCount: Int) throws(StoryError) -> StoryStep {
        var object = object
        let client = try object.optionalInteger("clientIndex") ?? 0
        guard (0..<clientCount).contains(client) else {
            throw object.fail("client \(client) acts, of \(clientCount)")
        }
        let wireIndex = try object.optionalInteger("watchUsesTargetIndex")
        let expected = try expectation(&object)
        guard object.rest.count == 1, let name = object.rest.first else {
            throw object.fail("one thing should happen, not: \(object.rest)")
        }
        let action = try action(name, &object)
        try object.finish()
        return StoryStep(action: action, wireIndex: wireIndex, expected: expected)
    }
}
