/// The serving side of a WebChannel session: arrays that leave until they are acknowledged, and maps
/// that come, each once and in order. Decides; the shell writes, waits and closes.
///
///     waiting --attached--> attached --answer ended, line lost--> waiting --abandoned--> over
///                     \---- finished: what is left is still fetched ----/
///
/// Every array has a number. The client names the last that it has with each request (`AID`), and a new
/// back channel begins behind that one, so what a broken line swallowed is sent again.
struct WebChannelSession: Sendable {
    /// What the shell is to wait for.
    enum Timer: Hashable, Sendable {
        /// The back channel must not be silent for longer.
        case keepalive
        /// Nobody fetches anything.
        case abandonment
    }

    /// What the shell is to do.
    enum Action: Equatable, Sendable {
        /// Give the stream a map's text.
        case deliver(String)
        /// Write to a back channel.
        case write(LineID, [UInt8])
        /// End a back channel's answer.
        case end(LineID)
        /// Wait anew, instead of what was waited for before.
        case schedule(Timer, Duration)
        /// Wait no more.
        case cancel(Timer)
        /// The stream may send again.
        case resume
        /// Forget the session.
        case close
    }

    /// Names one back channel among all that there have been.
    struct LineID: Hashable, Sendable {
        let number: UInt64
    }

    /// Why maps are not taken.
    enum Fault: Error, Equatable {
        /// Too many came before those in front of them.
        case tooFarAhead
    }

    private struct Entry {
        let id: Int
        let json: [UInt8]

        var byteCount: Int { json.count + WebChannelLimits.arrayByteCount }
    }

    private struct Line {
        let id: LineID
        let isLongPoll: Bool
        let patience: Duration
    }

    /// Arrays that are not acknowledged.
    private var entries: [Entry] = []
    private var unacknowledgedByteCount = 0
    /// The newest array. The answer to the first post is number 0.
    private var lastID = 0
    /// The newest array that the line has.
    private var sentID = 0
    private var line: Line?
    /// How many maps were delivered.
    private var mapCount = 0
    private var early: [Int: String] = [:]
    private var earlyByteCount = 0
    private var isFinished = false
    private(set) var isOver = false

    /// Whether the client keeps up with what was sent.
    var isWritable: Bool {
        unacknowledgedByteCount < WebChannelLimits.unacknowledgedByteCountMax && !isFinished
    }

    /// The answer to the first post: the session's name, the protocol's version, and how long its back
    /// channel may be silent.
    static func greeting(_ session: String) -> [UInt8] {
        var text = JSONText()
        text.beginArray()
        text.beginArray()
        text.integer(0)
        text.beginArray()
        text.string("c")
        text.string(session)
        text.string("")
        text.integer(Int64(WebChannelRequest.version))
        text.integer(12)
        text.integer(WebChannelLimits.keepaliveInterval.components.seconds * 1_000)
        text.endArray()
        text.endArray()
        text.endArray()
        return WebChannelChunk.bytes(text.bytes)
    }

    /// The answer to a post: whether there is a back channel, the newest array, and the bytes that the
    /// client has not acknowledged.
    var answerToPost: [UInt8] {
        let values = [line == nil ? 0 : 1, lastID, unacknowledgedByteCount]
        let text = values.map { "\($0)" }.joined(separator: ",")
        return WebChannelChunk.bytes(Array("[\(text)]".utf8))
    }
}

/// Inputs from the client.
extension WebChannelSession {
    /// The session has begun.
    func opened() -> [Action] {
        [.schedule(.abandonment, WebChannelLimits.abandonment)]
    }

    /// Maps came, perhaps some of them for the second time or before others.
    mutating func received(
        _ maps: [String], offset: Int?, acknowledged: Int?
    ) throws(Fault) -> [Action] {
        if isOver { return [] }
        var actions = acknowledge(acknowledged ?? 0)
        if isOver { return actions }
        if line == nil {
            actions.append(.schedule(.abandonment, WebChannelLimits.abandonment))
        }
        let offset = offset ?? mapCount
        for (index, map) in maps.enumerated() {
            let (place, overflow) = offset.addingReportingOverflow(index)
            if overflow { throw .tooFarAhead }
            if place < mapCount || early[place] != nil { continue }
            if place == mapCount {
                deliver(map, &actions)
            } else {
                guard early.count < WebChannelLimits.earlyMapCountMax,
                    earlyByteCount + map.utf8.count <= WebChannelLimits.earlyByteCountMax
                else { throw .tooFarAhead }
                early[place] = map
                earlyByteCount += map.utf8.count
            }
        }
        return actions
    }

    /// A back channel begins, and takes the place of the one before, if that is still there.
    mutating func attached(
        _ id: LineID, acknowledged: Int, isLongPoll: Bool, patience: Duration
    ) -> [Action] {
        if isOver { return [.end(id)] }
        var actions: [Action] = []
        if let line { actions.append(.end(line.id)) }
        line = Line(id: id, isLongPoll: isLongPoll, patience: patience)
        sentID = entries.first.map { max($0.id - 1, min(acknowledged, lastID)) } ?? lastID
        actions += acknowledge(acknowledged)
        if isOver { return actions }
        actions += [.cancel(.abandonment), .schedule(.keepalive, patience)]
        actions += flush()
        if !isLongPoll, line != nil, !isFinished {
            // By this the client sees that nothing on the way holds answers back until they are whole.
            append(Self.noop)
            actions += flush()
        }
        return actions
    }

    /// A back channel is gone without an end.
    mutating func lost(_ id: LineID) -> [Action] {
        // Race: another took its place, or its answer was ended meanwhile.
        guard line?.id == id, !isOver else { return [] }
        line = nil
        return [.cancel(.keepalive), .schedule(.abandonment, WebChannelLimits.abandonment)]
    }

    /// The client wants no more.
    mutating func terminated() -> [Action] {
        isOver ? [] : close()
    }
}

/// Inputs from the stream and from the clock.
extension WebChannelSession {
    /// The stream has something for the client, which leaves with the next `flush`.
    mutating func sent(_ json: [UInt8]) {
        if !isFinished, !isOver { append(json) }
    }

    /// The stream is over: well, or with what the last array says. What is left is still fetched.
    mutating func finished(_ json: [UInt8]? = nil) -> [Action] {
        if isFinished || isOver { return [] }
        append(json ?? Self.goodbye)
        isFinished = true
        return flush()
    }

    /// Writes what waits, if there is a back channel.
    mutating func flush() -> [Action] {
        guard let line, !isOver, sentID < lastID else { return [] }
        var actions: [Action] = []
        var chunk = WebChannelChunk()
        for entry in entries where entry.id > sentID {
            chunk.append(entry.json, id: entry.id)
            if chunk.byteCount >= WebChannelLimits.chunkByteCount {
                actions.append(.write(line.id, chunk.take()))
            }
        }
        if chunk.byteCount > 0 { actions.append(.write(line.id, chunk.take())) }
        sentID = lastID
        let isFull = unacknowledgedByteCount >= WebChannelLimits.answerByteCountMax
        if line.isLongPoll || isFull || isFinished {
            self.line = nil
            actions += [
                .end(line.id), .cancel(.keepalive),
                .schedule(.abandonment, WebChannelLimits.abandonment),
            ]
        } else {
            actions.append(.schedule(.keepalive, line.patience))
        }
        return actions
    }

    /// The time is over that was to be waited for.
    mutating func elapsed(_ timer: Timer) -> [Action] {
        if isOver { return [] }
        switch timer {
        case .keepalive:
            guard line != nil else { return [] }  // Race: the line went as the time did.
            append(Self.noop)
            return flush()
        case .abandonment:
            return line == nil ? close() : []
        }
    }
}

extension WebChannelSession {
    private static let noop = Array(#"["noop"]"#.utf8)
    private static let goodbye = Array(#"["close"]"#.utf8)

    private mutating func append(_ json: [UInt8]) {
        lastID += 1
        let entry = Entry(id: lastID, json: json)
        unacknowledgedByteCount += entry.byteCount
        entries.append(entry)
    }

    /// Delivers a map, and those that have waited for it.
    private mutating func deliver(_ map: String, _ actions: inout [Action]) {
        var next: String? = map
        while let map = next {
            mapCount += 1
            if !isFinished { actions.append(.deliver(map)) }
            next = early.removeValue(forKey: mapCount)
            if let next { earlyByteCount -= next.utf8.count }
        }
    }

    /// The client has the arrays up to one.
    private mutating func acknowledge(_ id: Int) -> [Action] {
        let count = entries.firstIndex { $0.id > id } ?? entries.count
        if count == 0 { return [] }
        let wasWritable = isWritable
        for entry in entries.prefix(count) { unacknowledgedByteCount -= entry.byteCount }
        entries.removeFirst(count)
        if isFinished, entries.isEmpty { return close() }
        return !wasWritable && isWritable ? [.resume] : []
    }

    private mutating func close() -> [Action] {
        isOver = true
        entries = []
        early = [:]
        let end = line.map { [Action.end($0.id)] } ?? []
        line = nil
        return end + [.cancel(.keepalive), .cancel(.abandonment), .close]
    }
}
