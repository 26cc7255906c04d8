import HearthFirestore
import HearthModel
import HearthTestSupport

@testable import HearthGateway

/// A view, a gateway and a client, and what happens to them by chance.
struct ListenStory {
    private(set) var rooms: WatchedRooms
    private(set) var client: PatientClient
    /// Complete pictures in which the client did not show what the view was.
    private(set) var missedCount = 0
    /// Whether every time that the client was told had come at the server.
    private(set) var isNeverAhead = true

    private var random: SeededGenerator
    private var shelf = ResumeShelf(epoch: 1)
    private var stream = ListenStream(epoch: 1, id: 0, at: .zero)
    private var now = Duration.zero
    private var epoch: UInt64 = 1
    /// Writes that the backend has not answered: what the room was before.
    private var pending: [String: Document?] = [:]

    private static let id = WireTargetID(1)
    private static let database = DatabaseID(project: "p")
    private static let names = ["a", "b", "c", "d", "e", "f"]

    init(seed: UInt64, keepsParts: Bool = true) {
        random = SeededGenerator(seed: seed)
        client = PatientClient(keepsParts: keepsParts)
        rooms = WatchedRooms()
        if seed % 5 == 4 {
            var query = rooms.query
            query.limit = Query.Limit(Self.names.count)
            rooms = WatchedRooms(query)
        }
        open()
    }

    mutating func commit(_ name: String) {
        pending[name] = nil
        receive(rooms.commits(name, Int64.random(in: 0...9, using: &random)))
    }

    mutating func write(_ name: String) {
        if pending[name] == nil { pending[name] = .some(rooms.documents[WatchedRooms.key(name)]) }
        receive(rooms.writes(name, Int64.random(in: 0...9, using: &random)))
    }

    mutating func remove(_ name: String) {
        guard rooms.documents.contains(WatchedRooms.key(name)) else { return }
        pending[name] = nil
        receive(rooms.removes(name))
    }

    mutating func reject(_ name: String) {
        guard let before = pending.removeValue(forKey: name) else { return }
        receive(rooms.reverts(to: before, name))
    }

    /// The client reads so many messages.
    mutating func deliver(_ count: Int) {
        for _ in 0..<count {
            guard let message = stream.next(at: now, isSettling: isSettling) else { return }
            client.received(message)
            if case .settled(let mark) = message {
                // The nanoseconds are marks; the moment has passed at the server.
                if mark.readAt.microseconds > rooms.now { isNeverAhead = false }
            }
        }
    }

    mutating func deliverAll() {
        isSettling = false
        deliver(.max)
        isSettling = true
        if !client.shows(rooms.documents) { missedCount += 1 }
    }

    /// The connection breaks, or the daemon starts anew; the client asks again.
    mutating func loseStream(isRestart: Bool) {
        if isRestart {
            epoch += 1
            shelf = ResumeShelf(epoch: epoch)
        } else {
            shelf.put(stream.histories, of: name(of: stream.id), at: now)
        }
        client.lostStream()
        open()
    }

    mutating func step() {
        let name = Self.names.randomElement(using: &random) ?? "a"
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: commit(name)
        case 5..<8: write(name)
        case 8: reject(name)
        case 9, 10: remove(name)
        case 11: now += .milliseconds(Int64.random(in: 1...300, using: &random))
        case 12: loseStream(isRestart: false)
        case 13 where Bool.random(using: &random): loseStream(isRestart: true)
        case 14: receive(rooms.becomes(isFromCache: Bool.random(using: &random)))
        case 15: deliverAll()
        default: deliver(Int.random(in: 0...4, using: &random))
        }
    }

    /// All writes are answered, and the client reads all.
    mutating func settle() {
        for name in pending.keys.sorted() { commit(name) }
        deliverAll()
    }

    private var isSettling = true

    private func name(of stream: UInt64) -> ResumeShelf.StreamName {
        ResumeShelf.StreamName(id: stream, database: Self.database, uid: 1, payer: 1)
    }

    private mutating func receive(_ snapshot: ViewSnapshot) {
        stream.received(snapshot, of: 0, for: Self.id)
    }

    private mutating func open() {
        guard let shape = try? ListenShape(rooms.query.target.structuredQuery) else {
            preconditionFailure("The rooms' query has no shape")
        }
        let mark = client.token.flatMap { ResumeToken($0) }.flatMap { ResumeMark($0) }
        let resumption =
            mark.map { shelf.take($0, shape, of: name(of: $0.stream), at: now) } ?? .start
        stream = ListenStream(epoch: epoch, id: shelf.nextStream(), at: now)
        stream.add(GatewayTarget(Self.id, shape, from: resumption), after: mark?.readAt)
        receive(rooms.whole())
    }
}
