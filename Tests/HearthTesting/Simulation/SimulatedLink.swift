import HearthEngine
import HearthFirestore
import HearthModel

/// The two streams of one client as a network carries them, and the calls beside the streams: in
/// order on each stream, at any speed, and lost with it.
///
/// Of a lost write stream the batches may still be on their way up.
struct SimulatedLink: Sendable {
    /// One stream: what is on its way up, and down.
    struct Stream: Sendable {
        let number: StreamNumber
        /// As whom the client speaks on it.
        let user: UserID
        var up: [UpstreamCommand] = []
        var down: [UpstreamEvent] = []
        /// Whether the other end has ended it; what is still on its way up is lost.
        var isEnding = false
    }

    private(set) var watch: Stream?
    private(set) var write: Stream?
    /// Calls beside the streams that are on their way.
    private(set) var calls: [(id: RequestID, call: BackendCall)] = []
    /// Write streams that the engine takes for gone, and whose batches are still on their way up.
    private var lost: [Stream] = []

    /// Nothing is open.
    init() {}

    /// Whether anything is on its way.
    var isIdle: Bool {
        calls.isEmpty
            && [watch, write].allSatisfy {
                ($0?.up.isEmpty ?? true) && ($0?.down.isEmpty ?? true)
            }
    }

    /// The engine does something. Returns the watch stream that it closed.
    mutating func perform(_ command: UpstreamCommand) -> StreamNumber? {
        switch command {
        case .openWatch(let number, as: let user):
            precondition(watch == nil, "The watch stream is opened twice")
            watch = Stream(number: number, user: user, down: [.watchOpened(number)])
        case .listen, .unlisten:
            watch?.up.append(command)
        case .closeWatch(let number):
            guard watch?.number == number else { return nil }
            watch = nil
            return number
        case .openWrite(let number, as: let user):
            precondition(write == nil, "The write stream is opened twice")
            write = Stream(number: number, user: user, down: [.writeOpened(number)])
        case .handshake, .write:
            write?.up.append(command)
        case .closeWrite(let number, goodbye: _):
            if write?.number == number { loseWrite() }
        case .call(_, .aggregate, as: _):
            preconditionFailure("Nobody has the backend compute anything here")
        case .call(let id, let call, as: _):
            calls.append((id, call))
        case .abandon(let id):
            calls.removeAll { $0.id == id }
        }
        return nil
    }

    /// Whether something is on its way to the engine.
    var hasNews: Bool { [watch, write].contains { !($0?.down.isEmpty ?? true) } }

    /// What the other end has to take next from the watch stream.
    mutating func takeWatchCommand() -> UpstreamCommand? {
        guard let stream = watch, !stream.up.isEmpty, !stream.isEnding else { return nil }
        return watch?.up.removeFirst()
    }

    /// What the other end has to take next from the write stream.
    mutating func takeWriteCommand() -> UpstreamCommand? {
        guard let stream = write, !stream.up.isEmpty, !stream.isEnding else { return nil }
        return write?.up.removeFirst()
    }

    /// The call beside the streams that the other end takes next.
    ///
    /// - Parameter place: Which call, in the order in which the engine made the calls.
    mutating func takeCall(_ place: Int = 0) -> (id: RequestID, call: BackendCall)? {
        calls.indices.contains(place) ? calls.remove(at: place) : nil
    }

    /// The other end says something on the watch stream.
    mutating func sayOnWatch(_ changes: [WatchChange]) {
        guard let number = watch?.number else { return }
        watch?.down += changes.map { .watched(number, $0) }
    }

    /// The other end says something on the write stream.
    mutating func sayOnWrite(_ event: UpstreamEvent) {
        write?.down.append(event)
        if case .writeClosed = event { write?.isEnding = true }
    }

    /// What arrives next from the watch stream.
    mutating func takeWatchEvent() -> UpstreamEvent? {
        guard watch?.down.isEmpty == false else { return nil }
        return watch?.down.removeFirst()
    }

    /// What arrives next from the write stream; its end takes the stream away.
    mutating func takeWriteEvent() -> UpstreamEvent? {
        guard write?.down.isEmpty == false, let event = write?.down.removeFirst() else {
            return nil
        }
        if case .writeClosed = event { write = nil }
        return event
    }

    /// The watch stream breaks with all that is on its way.
    mutating func breakWatch(_ error: HearthError) -> UpstreamEvent? {
        guard let number = watch?.number else { return nil }
        watch = nil
        return .watchClosed(number, error)
    }

    /// The write stream breaks with all that is on its way down.
    mutating func breakWrite(_ error: HearthError) -> UpstreamEvent? {
        guard let number = write?.number else { return nil }
        loseWrite()
        return .writeClosed(number, error)
    }

    /// The process at this end dies.
    mutating func die() {
        watch = nil
        loseWrite()
        calls = []
    }

    /// The write streams that were lost since the last look.
    mutating func takeLost() -> [Stream] {
        defer { lost = [] }
        return lost
    }

    /// Whoever has ended a stream takes nothing more from it.
    private mutating func loseWrite() {
        if let stream = write, !stream.isEnding { lost.append(stream) }
        write = nil
    }
}
