/// The serving side of a WebChannel session.
///
/// The session decides; the shell writes, waits and closes.
///
/// The session sends arrays until the client acknowledges them, and delivers the client's maps,
/// each map once and in order.
///
///     waiting --attached--> attached --answer ended, line lost--> waiting --abandoned--> over
///                     \---- finished: what is left is still fetched ----/
///
/// Every array has a number. With each request the client names the last array that has come
/// (`AID`). A new back channel begins behind that array, so the session sends again the arrays that
/// a broken line lost.
struct WebChannelSession: Sendable {
    /// The timers of the shell.
    enum Timer: Hashable, Sendable {
        /// The back channel must not be silent for longer.
        case keepalive
        /// The session ends if no back channel and no post comes.
        case abandonment
    }

    /// The actions of the shell.
    enum Action: Equatable, Sendable {
        /// Give the stream a map's text.
        case deliver(String)
        /// Write to a back channel.
        case write(LineID, [UInt8])
        /// End a back channel's answer.
        case end(LineID)
        /// Start a timer, in place of the same timer before.
        case schedule(Timer, Duration)
        /// Cancel a timer.
        case cancel(Timer)
        /// The stream may send again.
        case resume
        /// Forget the session.
        case close
    }

    /// Names one back channel; no other back channel gets the same name.
    struct LineID: Hashable, Sendable {
        let number: UInt64
    }

    /// Why the session refuses maps.
    enum Fault: Error, Equatable {
        /// Too many maps came before an earlier map.
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
    /// The number of the newest array. The answer to the first post is number 0.
    private var lastID = 0
    /// The number of the newest array that went to the current back channel.
    private var sentID = 0
    private var line: Line?
    /// How many maps the stream has got.
    private var mapCount = 0
    private var early: [Int: String] = [:]
    private var earlyByteCount = 0
    private var isFinished = false
    private(set) var isOver = false

    /// Whether the client keeps up with the arrays that were sent.
    var isWritable: Bool {
        unacknowledgedByteCount < WebChannelLimits.unacknowledgedByteCountMax && !isFinished
    }

    /// The answer to the first post.
    ///
    /// The answer names the session, the protocol's version, and the time for which a back channel
    /// may be silent.
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

    /// The answer to a post.
    ///
    /// The answer says whether the session has a back channel, and names the newest array and the
    /// number of unacknowledged bytes.
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

    /// Takes maps, which may come for the second time or before earlier maps.
    ///
    /// - Parameters:
    ///   - offset: How many maps the client sent before these; `nil` for the next maps in order.
    ///   - acknowledged: The newest array that the client has; `nil` if the request names none.
    /// - Throws: `tooFarAhead` if too many maps would wait for an earlier map.
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
            if place == mapCount { deliver(map, &actions) } else { try keep(map, at: place) }
        }
        return actions
    }

    /// Keeps a map until the maps before it have come.
    private mutating func keep(_ map: String, at place: Int) throws(Fault) {
        guard early.count < WebChannelLimits.earlyMapCountMax,
            earlyByteCount + map.utf8.count <= WebChannelLimits.earlyByteCountMax
        else { throw .tooFarAhead }
        early[place] = map
        earlyByteCount += map.utf8.count
    }

    /// Takes a new back channel, which replaces the previous back channel.
    ///
    /// - Parameters:
    ///   - acknowledged: The newest array that the client has.
    ///   - patience: How long the back channel may be silent.
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
            // An early array shows the client that no proxy holds answers back until their end.
            append(Self.noop)
            actions += flush()
        }
        return actions
    }

    /// A back channel is gone without an end.
    mutating func lost(_ id: LineID) -> [Action] {
        // Race: a new back channel took the place, or the answer ended meanwhile.
        guard line?.id == id, !isOver else { return [] }
        line = nil
        return [.cancel(.keepalive), .schedule(.abandonment, WebChannelLimits.abandonment)]
    }

    /// The client ends the session.
    mutating func terminated() -> [Action] {
        isOver ? [] : close()
    }
}

/// Inputs from the stream and from the clock.
extension WebChannelSession {
    /// Adds an array of the stream, which leaves with the next `flush`.
    mutating func sent(_ json: [UInt8]) {
        if !isFinished, !isOver { append(json) }
    }

    /// The stream is over: well, or with the error in the last array.
    ///
    /// The client still fetches the arrays that are left.
    mutating func finished(_ json: [UInt8]? = nil) -> [Action] {
        if isFinished || isOver { return [] }
        append(json ?? Self.goodbye)
        isFinished = true
        return flush()
    }

    /// Writes the arrays that wait, if the session has a back channel.
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

    /// A timer's time is over.
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

    /// Delivers a map, and the maps that have waited for that map.
    private mutating func deliver(_ map: String, _ actions: inout [Action]) {
        var next: String? = map
        while let map = next {
            mapCount += 1
            if !isFinished { actions.append(.deliver(map)) }
            next = early.removeValue(forKey: mapCount)
            if let next { earlyByteCount -= next.utf8.count }
        }
    }

    /// The client has the arrays up to a number.
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
