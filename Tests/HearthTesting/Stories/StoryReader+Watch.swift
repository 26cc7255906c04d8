import HearthModel

/// What the backend says on the watch stream.
extension StoryReader {
    func watchAction(_ name: String, _ step: inout StoryObject) throws(StoryError) -> StoryAction {
        switch name {
        case "watchAck":
            return .watchAck(try targets(step.array(name), at: step.place))
        case "watchReset":
            return .watchReset(try targets(step.array(name), at: step.place))
        case "watchCurrent":
            let parts = try step.array(name)
            guard parts.count == 2, let ids = parts[0].elements,
                parts[1] == .null || parts[1].string != nil
            else {
                throw step.fail("targets and a token should stand here")
            }
            return .watchCurrent(try targets(ids, at: step.place), token(parts[1].string))
        case "watchRemove":
            return try remove(try step.object(name))
        case "watchEntity":
            return try entity(try step.object(name))
        case "watchFilter":
            return try filter(try step.object(name))
        case "watchSnapshot":
            return try snapshot(try step.object(name))
        default:
            var object = try step.object(name)
            let action = StoryAction.watchStreamClose(
                try error(object.object("error")),
                runsBackoff: try object.optionalBoolean("runBackoffTimer") ?? true)
            try object.finish()
            return action
        }
    }

    private func remove(_ object: StoryObject) throws(StoryError) -> StoryAction {
        var object = object
        let ids = try targets(object.array("targetIds"), at: object.place)
        var cause: HearthError?
        if let given = try object.optionalObject("cause") { cause = try error(given) }
        try object.finish()
        return .watchRemove(ids, cause)
    }

    private func entity(_ object: StoryObject) throws(StoryError) -> StoryAction {
        var object = object
        let updated = try targets(object.optionalArray("targets") ?? [], at: object.place)
        let removed = try targets(object.optionalArray("removedTargets") ?? [], at: object.place)
        var documents: [StoryDocument] = []
        guard object.rest.count == 1 else {
            throw object.fail("one of docs, doc and key should stand here, not: \(object.rest)")
        }
        for json in try object.optionalArray("docs") ?? [] {
            documents.append(try storyDocument(json, at: object.place))
        }
        if let json = object.take("doc") {
            documents.append(try storyDocument(json, at: object.place))
        }
        if let name = try object.optionalString("key") {
            documents.append(
                StoryDocument(key: try key(name, at: object.place), document: nil))
        }
        try object.finish()
        return .watchDocuments(documents, targets: updated, removedTargets: removed)
    }

    private func storyDocument(_ json: JSONValue, at place: String) throws(StoryError)
        -> StoryDocument
    {
        let document = try document(json, at: place)
        return StoryDocument(key: document.key, document: document)
    }

    private func filter(_ object: StoryObject) throws(StoryError) -> StoryAction {
        var object = object
        let ids = try targets(object.array("targetIds"), at: object.place)
        guard ids.count == 1 else { throw object.fail("a filter is of one target") }
        let count = try strings(object.array("keys"), at: object.place).count
        var bloomFilter: BloomFilter?
        if var bloom = try object.optionalObject("bloomFilter") {
            let hashCount = try bloom.optionalInteger("hashCount") ?? 0
            if var bits = try bloom.optionalObject("bits") {
                let padding = try bits.optionalInteger("padding") ?? 0
                // Bits that are no Base64 are as good as no filter. The stories write the standard
                // alphabet, so bits in the alphabet for links count as none either.
                bloomFilter = (try bits.optionalString("bitmap"))
                    .flatMap(Base64.decodeStandard)
                    .flatMap { BloomFilter(bitmap: $0, padding: padding, hashCount: hashCount) }
                try bits.finish()
            }
            try bloom.finish()
        }
        try object.finish()
        return .watchFilter(ids[0], count: count, bloomFilter)
    }

    private func snapshot(_ object: StoryObject) throws(StoryError) -> StoryAction {
        var object = object
        let version = try version(object.require("version"), at: object.place)
        let ids = try targets(object.optionalArray("targetIds") ?? [], at: object.place)
        let token = token(try object.optionalString("resumeToken"))
        try object.finish()
        return .watchSnapshot(version, ids, token)
    }
}
