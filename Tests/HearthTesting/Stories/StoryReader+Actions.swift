import HearthFirestore
import HearthModel

/// What happens: one member of a step, by its name.
extension StoryReader {
    func action(_ name: String, _ step: inout StoryObject) throws(StoryError) -> StoryAction {
        switch name {
        case "userListen", "userUnlisten", "userSet", "userPatch", "userDelete",
            "addSnapshotsInSyncListener", "removeSnapshotsInSyncListener", "loadBundle",
            "waitForPendingWrites":
            return try userAction(name, &step)
        case "watchAck", "watchReset", "watchCurrent", "watchRemove", "watchEntity", "watchFilter",
            "watchSnapshot", "watchStreamClose":
            return try watchAction(name, &step)
        case "writeAck", "failWrite":
            return try writeAction(name, &step)
        case "runTimer", "drainQueue", "enableNetwork", "changeUser", "restart", "shutdown",
            "clearPersistence", "failDatabase", "triggerLruGC":
            return try clientAction(name, &step)
        case "applyClientState":
            return try clientState(try step.object(name))
        case "setIndexConfiguration":
            return .setIndexes(try indexConfiguration(step.require(name), at: step.place))
        default:
            throw step.fail("unknown: \(name)")
        }
    }

    private func userAction(_ name: String, _ step: inout StoryObject) throws(StoryError)
        -> StoryAction
    {
        switch name {
        case "userListen":
            return try listen(try step.object(name))
        case "userUnlisten":
            let parts = try step.array(name)
            guard parts.count == 2 else {
                throw step.fail("a target and a query should stand here")
            }
            return .userUnlisten(
                try target(parts[0], at: step.place), try query(parts[1], at: step.place))
        case "userSet":
            let (key, value) = try write(name, &step)
            return .userWrite(Mutation(key: key, kind: .set(try fields(value, at: step.place))))
        case "userPatch":
            let (key, value) = try write(name, &step)
            return .userWrite(try patch(key, value, at: step.place))
        case "userDelete":
            return .userWrite(
                Mutation(key: try key(step.string(name), at: step.place), kind: .delete))
        case "loadBundle":
            return .loadBundle(Array(try step.string(name).utf8))
        case "waitForPendingWrites":
            _ = try step.boolean(name)
            return .waitForPendingWrites
        case "addSnapshotsInSyncListener":
            _ = try step.boolean(name)
            return .addSnapshotsInSyncListener
        default:
            _ = try step.boolean(name)
            return .removeSnapshotsInSyncListener
        }
    }

    private func listen(_ object: StoryObject) throws(StoryError) -> StoryAction {
        var object = object
        let target = try target(object.require("targetId"), at: object.place)
        let query = try query(object.require("query"), at: object.place)
        // The stories' runners always show cached results first, whatever the story says.
        var options = ListenOptions(includeMetadataChanges: true)
        if var chosen = try object.optionalObject("options") {
            options.includeMetadataChanges =
                try chosen.optionalBoolean("includeMetadataChanges") ?? true
            switch try chosen.optionalString("source") {
            case nil, "default": break
            case "cache": options.isCacheOnly = true
            case let other?: throw chosen.fail("no source is called \"\(other)\"")
            }
            _ = try chosen.optionalBoolean("waitForSyncWhenOnline")
            try chosen.finish()
        }
        try object.finish()
        return .userListen(target, query, options)
    }

    private func write(_ name: String, _ step: inout StoryObject) throws(StoryError)
        -> (DocumentKey, JSONValue)
    {
        let parts = try step.array(name)
        guard parts.count == 2, let path = parts[0].string else {
            throw step.fail("a key and its fields should stand here")
        }
        return (try key(path, at: step.place), parts[1])
    }

    private func patch(_ key: DocumentKey, _ json: JSONValue, at place: String) throws(StoryError)
        -> Mutation
    {
        var values = MapValue.empty
        var paths: [FieldPath] = []
        guard let members = json.members else {
            throw StoryError(place: place, reason: "fields are an object")
        }
        for member in members {
            let path = try fieldPath(member.name, at: place)
            paths.append(path)
            if member.value != .string("<DELETE>") {
                values.set(path, to: try value(member.value, at: place))
            }
        }
        return Mutation(
            key: key, kind: .patch(values, FieldMask(paths)), precondition: .exists(true))
    }

    private func writeAction(_ name: String, _ step: inout StoryObject) throws(StoryError)
        -> StoryAction
    {
        var object = try step.object(name)
        let action: StoryAction
        if name == "writeAck" {
            let version = try version(object.require("version"), at: object.place)
            action = .writeAck(
                version, keepsInQueue: try object.optionalBoolean("keepInQueue") ?? false)
        } else {
            let error = try error(object.object("error"))
            action = .failWrite(
                error, keepsInQueue: try object.optionalBoolean("keepInQueue") ?? false)
        }
        try object.finish()
        return action
    }

    private func clientAction(_ name: String, _ step: inout StoryObject) throws(StoryError)
        -> StoryAction
    {
        switch name {
        case "runTimer":
            return .runTimer(try timer(try step.string(name), at: step.place))
        case "enableNetwork":
            return .enableNetwork(try step.boolean(name))
        case "changeUser":
            let user = try step.require(name)
            guard user == .null || user.string != nil else {
                throw step.fail("a user is a name or null")
            }
            return .changeUser(UserID(user.string ?? ""))
        case "failDatabase":
            let failing = try step.require(name)
            if failing == .boolean(false) { return .failDatabase([]) }
            guard let names = failing.elements else {
                throw step.fail("what fails is a list of names, or false")
            }
            return .failDatabase(try strings(names, at: step.place))
        case "triggerLruGC":
            return .collectGarbage(cacheByteCountMax: try step.integer(name))
        default:
            _ = try step.boolean(name)
            switch name {
            case "drainQueue": return .drainQueue
            case "restart": return .restart
            case "shutdown": return .shutdown
            default: return .clearPersistence
            }
        }
    }

    private func timer(_ name: String, at place: String) throws(StoryError) -> StoryTimer {
        switch name {
        case "all": .all
        case "listen_stream_idle": .upTo(.watchIdle)
        case "listen_stream_connection_backoff": .upTo(.watchBackoff)
        case "write_stream_idle": .upTo(.writeIdle)
        case "write_stream_connection_backoff": .upTo(.writeBackoff)
        case "health_check_timeout": .upTo(.watchHealth)
        case "online_state_timeout": .upTo(.onlineState)
        case "async_queue_retry": .upTo(.storeRetry)
        case "client_metadata_refresh", "transaction_retry", "index_backfill",
            "lru_garbage_collection":
            .foreign(name)
        default: throw StoryError(place: place, reason: "no timer is called \"\(name)\"")
        }
    }
}
