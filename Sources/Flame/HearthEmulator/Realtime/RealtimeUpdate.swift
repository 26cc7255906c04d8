import HearthModel

/// Reads a multi-path update: an object whose names are paths below one place.
enum RealtimeUpdate {
    /// Reads the bytes of an update.
    ///
    /// - Throws: `NodeError` for a path or a value that is not allowed, or for bytes that are no
    ///   JSON.
    static func read(
        _ bytes: [UInt8], below base: RealtimePath
    ) throws(NodeError) -> [RealtimeChange.Part] {
        var cursor = JSONCursor(bytes)
        var children: [RealtimeChange.Part] = []
        var goesOn = try json { () throws(JSONError) in
            cursor.skipSpace()
            guard cursor.next == UInt8(ascii: "{") else {
                throw cursor.error("an update is an object")
            }
            return cursor.enter(until: UInt8(ascii: "}"))
        }
        while goesOn {
            let name = try json { () throws(JSONError) in try cursor.readName() }
            children.append(try child(named: name, &cursor, below: base))
            goesOn = try json { () throws(JSONError) in
                try cursor.goesOn(until: UInt8(ascii: "}"))
            }
        }
        try json { () throws(JSONError) in try cursor.finish() }
        return children
    }

    private static func child(
        named name: String, _ cursor: inout JSONCursor, below base: RealtimePath
    ) throws(NodeError) -> RealtimeChange.Part {
        guard let place = WritePath(name), !place.path.isRoot || place.isPriority else {
            throw .refusedKey(name, reason: "it is no path below the one that is updated")
        }
        let depth = base.depth + place.path.depth
        guard depth <= RealtimePath.depthMax else {
            throw .tooDeep(depthMax: RealtimePath.depthMax)
        }
        let node = try NodeReader.read(
            &cursor, from: .client, depthMax: RealtimePath.depthMax - depth)
        return RealtimeChange.Part(place, node)
    }

    private static func json<Result>(
        _ body: () throws(JSONError) -> Result
    ) throws(NodeError) -> Result {
        do throws(JSONError) {
            return try body()
        } catch {
            throw .notJSON(error)
        }
    }
}
