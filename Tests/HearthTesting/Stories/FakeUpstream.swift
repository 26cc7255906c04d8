package import HearthEngine
package import HearthFirestore
package import HearthModel

/// The backend's end of the two streams, as a story sees it: the backend opens at once, takes every
/// message, and says only the messages of the story.
///
/// A story names targets by the SDKs' numbers; on the wire each listen has a name of its own. So
/// an answer to a listen or an unlisten is for the oldest of the target's names that waits for
/// one, and everything else is for the newest.
package struct FakeUpstream: Sendable {
    private struct Name: Sendable {
        let wire: WireTargetID
        var isAdded = false
        var isUnlistened = false
    }

    /// The watch stream that is open, or being opened.
    package private(set) var watch: StreamNumber?
    /// The write stream that is open, or being opened.
    package private(set) var write: StreamNumber?
    /// Requests on all watch streams.
    package private(set) var watchRequestCount = 0
    /// Requests on all write streams, handshakes and goodbyes too.
    package private(set) var writeRequestCount = 0
    /// What is watched on the open stream, by its name there.
    package private(set) var active: [WireTargetID: ListenRequest] = [:]
    /// The writes that were sent and not answered, in order.
    package private(set) var sent: [[Mutation]] = []

    /// What was asked beside the streams and not answered, in order. Only a spec answers.
    package private(set) var calls: [(id: RequestID, call: BackendCall)] = []

    private var targets: [WireTargetID: TargetID] = [:]
    private var names: [TargetID: [Name]] = [:]
    private var history: [TargetID: [WireTargetID]] = [:]
    private var pastNames: [Target: [WireTargetID]] = [:]
    private var tokenCount = 0

    /// Nothing is open.
    package init() {}

    // MARK: What the engine does

    /// Carries out a command.
    ///
    /// - Parameter wireNames: The engine's wire names of its targets; a listen is recognised by its
    ///   wire name.
    /// - Returns: What happens on the next tick.
    package mutating func perform(
        _ command: UpstreamCommand, wireNames: [TargetID: WireTargetID]
    ) -> UpstreamEvent? {
        switch command {
        case .openWatch(let number, _):
            precondition(watch == nil, "The watch stream is opened twice")
            watch = number
            return .watchOpened(number)
        case .listen(let number, let request):
            precondition(number == watch, "A listen on a stream that is not open")
            watchRequestCount += 1
            active[request.wireID] = request
            pastNames[request.target, default: []].append(request.wireID)
            if let id = wireNames.first(where: { $0.value == request.wireID })?.key {
                targets[request.wireID] = id
                names[id, default: []].append(Name(wire: request.wireID))
                history[id, default: []].append(request.wireID)
            }
            return nil
        case .unlisten(let number, let wire):
            precondition(number == watch, "An unlisten on a stream that is not open")
            watchRequestCount += 1
            active[wire] = nil
            update(wire) { $0.isUnlistened = true }
            return nil
        case .closeWatch(let number):
            // It may have ended by itself, in a turn that failed.
            if number == watch { closeWatch() }
            return nil
        case .openWrite(let number, _):
            precondition(write == nil, "The write stream is opened twice")
            write = number
            return .writeOpened(number)
        case .handshake(let number):
            precondition(number == write, "A handshake on a stream that is not open")
            writeRequestCount += 1
            return .writeHandshaken(number, nextToken())
        case .write(let number, _, let mutations, let token):
            precondition(number == write, "A write on a stream that is not open")
            precondition(!token.isEmpty, "A write without a token")
            writeRequestCount += 1
            sent.append(mutations)
            return nil
        case .closeWrite(let number, let goodbye):
            guard number == write else { return nil }
            if goodbye != nil { writeRequestCount += 1 }
            closeWrite()
            return nil
        case .call(let id, let call, _):
            calls.append((id, call))
            return nil
        case .abandon(let id):
            calls.removeAll { $0.id == id }
            return nil
        }
    }

    /// Whether the stream that an event came from still stands.
    package func isCurrent(_ event: UpstreamEvent) -> Bool {
        switch event {
        case .watchOpened(let number), .watched(let number, _),
            .watchUnreadable(let number, _, _), .watchClosed(let number, _),
            .watchBroken(let number, _):
            number == watch
        case .writeOpened(let number), .writeHandshaken(let number, _),
            .writeAnswered(let number, _), .writeClosed(let number, _),
            .writeBroken(let number, _), .writeUnsendable(let number, _, _):
            number == write
        case .called: true
        }
    }

    // MARK: What the story does

    /// Takes out the oldest question that was asked beside the streams.
    package mutating func takeCall() -> (id: RequestID, call: BackendCall)? {
        calls.isEmpty ? nil : calls.removeFirst()
    }

    /// What is watched, by the engine's own ids. Names that no id is known for are under 0.
    package var activeTargets: [TargetID: ListenRequest] {
        var result: [TargetID: ListenRequest] = [:]
        for (wire, request) in active { result[targets[wire] ?? TargetID(0)] = request }
        return result
    }

    /// The name that most messages about a target use.
    package func name(of target: TargetID, index: Int? = nil) -> WireTargetID {
        let all = history[target] ?? []
        if let index, all.indices.contains(index) { return all[index] }
        // A name that the engine never gave out, for a target it never asked for.
        return all.last ?? WireTargetID(1_000_000 + target.rawValue)
    }

    /// The names of a target since the stream was opened, the oldest first.
    package func names(of target: Target) -> [WireTargetID] { pastNames[target] ?? [] }

    /// The name that the backend's answer to a listen is for.
    package mutating func nameToAdd(_ target: TargetID) -> WireTargetID {
        guard let waiting = names[target]?.first(where: { !$0.isAdded }) else {
            return name(of: target)
        }
        update(waiting.wire) { $0.isAdded = true }
        return waiting.wire
    }

    /// The name that the backend's answer to an unlisten is for, or its refusal of a listen.
    package mutating func nameToRemove(_ target: TargetID, isRefused: Bool) -> WireTargetID {
        let waiting = isRefused ? nil : names[target]?.first { $0.isUnlistened }
        let wire = waiting?.wire ?? name(of: target)
        names[target]?.removeAll { $0.wire == wire }
        if isRefused { refuse(wire) }
        return wire
    }

    /// The backend watches a target no more.
    package mutating func refuse(_ wire: WireTargetID) { active[wire] = nil }

    /// Ends the watch stream; what was watched on it is forgotten.
    package mutating func closeWatch() {
        watch = nil
        active = [:]
        targets = [:]
        names = [:]
        history = [:]
        pastNames = [:]
    }

    /// Ends the write stream; what was sent on it stays unanswered.
    package mutating func closeWrite() {
        write = nil
        sent = []
    }

    /// Takes the oldest unanswered writes, to answer them.
    package mutating func takeSent() -> [Mutation]? {
        sent.isEmpty ? nil : sent.removeFirst()
    }

    /// A fresh mark of the write stream.
    package mutating func nextToken() -> StreamToken {
        tokenCount += 1
        return Array("write-stream-token-\(tokenCount)".utf8)
    }

    private mutating func update(_ wire: WireTargetID, _ change: (inout Name) -> Void) {
        guard let target = targets[wire],
            let index = names[target]?.firstIndex(where: { $0.wire == wire })
        else { return }
        names[target]?.withMutableElement(at: index, change)
    }
}

extension Array {
    fileprivate mutating func withMutableElement(at index: Int, _ change: (inout Element) -> Void) {
        change(&self[index])
    }
}
