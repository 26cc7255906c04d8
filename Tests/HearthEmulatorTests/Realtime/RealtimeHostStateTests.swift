import HearthBackend
import HearthModel
import Synchronization
import Testing

@testable import HearthEmulator

struct RealtimeHostStateTests {
    private let now = Timestamp(seconds: 1, nanoseconds: 0)
    private let name = RealtimeNamespace("demo")

    private func put(_ path: String, _ json: String) throws -> RealtimeAction {
        .put(try #require(WritePath(path)), UnresolvedNode(try Node(json: json)), hash: nil)
    }

    /// A listener to everything, whose messages are counted.
    private func listening(
        _ state: inout RealtimeHostState, _ outbox: RealtimeOutbox
    ) throws -> RealtimeConnectionID {
        let id = state.open(outbox, in: try #require(name), by: .admin)
        _ = state.take { state in
            [
                .message(
                    .answer(state.backend.watch(.root, nil, for: id, at: now), request: 1), id)
            ]
        }
        return id
    }

    @Test func `nobody hears of a change that is not on disk`() throws {
        var state = RealtimeHostState(RealtimeBackend(), isKept: true)
        let outbox = RealtimeOutbox {}
        let id = try listening(&state, outbox)
        #expect(outbox.takeAll().count == 2)
        let request = try put("/a", "1")
        let after = state.take { state in
            [.message(.answer(state.backend.take(request, from: id, at: now), request: 2), id)]
        }
        #expect(after.startsSaving)
        // A read of what is not kept waits behind it, though it changes nothing.
        let read = state.take { _ in [.message(.answer(.done, request: 3), id)] }
        #expect(!read.startsSaving)
        #expect(outbox.takeAll().isEmpty)
        let taken = state.takeGroup()
        let group = try #require(taken)
        #expect(group.saves.count == 1)
        #expect(outbox.takeAll().isEmpty)
        _ = state.saved(group)
        #expect(outbox.takeAll().count == 3)
        let next = state.takeGroup()
        #expect(next?.saves.count == nil)
    }

    @Test
    func `a group that is lost leaves the tree as it was, tells callers and ends connections`()
        throws
    {
        var state = RealtimeHostState(RealtimeBackend(), isKept: true)
        let outbox = RealtimeOutbox {}
        let id = try listening(&state, outbox)
        _ = outbox.takeAll()
        let errors = Mutex<[HearthError?]>([])
        let request = try put("/a", "1")
        _ = state.take { state in
            _ = state.backend.take(request, from: id, at: now)
            return [.reply { error in errors.withLock { $0.append(error) } }]
        }
        let taken = state.takeGroup()
        let group = try #require(taken)
        let failure = HearthError(code: .unavailable, message: "full")
        for reply in state.lost(group, failure).replies { reply(failure) }
        #expect(errors.withLock { $0 } == [failure])
        #expect(state.backend.root(of: try #require(name)) == .empty)
        guard case .lost? = outbox.takeAll().last else {
            Issue.record("the connection was not ended")
            return
        }
    }

    @Test func `the log tells of a write in a lost group that it failed, and not before`() throws {
        var state = RealtimeHostState(RealtimeBackend(), isKept: true)
        let log = RequestLog()
        let id = state.open(RealtimeOutbox {}, in: try #require(name), by: .admin)
        let request = try put("/a", "1")
        _ = state.take { state in
            guard let noted = state.noted(.put, at: "/a", from: id, now, in: log) else { return [] }
            let answer = state.judged(noted) { $0.take(request, from: id, at: now) }
            return [.message(.answer(answer, request: 1), id), noted.end(answer)]
        }
        #expect(log.entries(after: 0).entries.isEmpty)
        let taken = state.takeGroup()
        let group = try #require(taken)
        let failure = HearthError(code: .unavailable, message: "full")
        for reply in state.lost(group, failure).replies { reply(failure) }
        #expect(log.entries(after: 0).entries.map(\.error?.code) == [.unavailable])
    }

    @Test func `a connection that ended in a lost group ends again, with what it left`() throws {
        var state = RealtimeHostState(RealtimeBackend(), isKept: true)
        let tree = try #require(name)
        let id = state.open(RealtimeOutbox {}, in: tree, by: .admin)
        let left = UnresolvedNode(Node(.bool(true)))
        let place = try #require(WritePath("/gone"))
        _ = state.take { state in
            _ = state.backend.take(.onDisconnectPut(place, left), from: id, at: now)
            return []
        }
        _ = state.take { state in
            state.close(id, at: now)
            return []
        }
        let taken = state.takeGroup()
        let failure = HearthError(code: .unavailable, message: "full")
        let loss = state.lost(try #require(taken), failure)
        #expect(state.backend.root(of: tree) == .empty)
        #expect(loss.ended == [id])
        let after = state.take { state in
            for id in loss.ended { state.close(id, at: now) }
            return []
        }
        let next = state.takeGroup()
        #expect(!after.startsSaving, "somebody saves already")
        #expect(next?.saves.count == 1)
        #expect(state.backend.root(of: tree).description == #"{"gone":true}"#)
    }

    private func change(of byteCount: Int, isFirst: Bool = false) -> RealtimeOutbox.Message {
        let node = Node(.string(String(repeating: "x", count: byteCount)))
        let change = PushedChange.overwrite(WritePath("/a" as RealtimePath), node)
        return .push(SharedChange(change, isFirst: isFirst), tag: nil)
    }

    @Test func `an outbox holds no more than so many bytes of changes`() {
        let outbox = RealtimeOutbox {}
        let size = RealtimeOutbox.byteCountMax / 4
        for _ in 0..<3 { outbox.put(change(of: size)) }
        #expect(outbox.next()?.isLast == false)
        outbox.put(change(of: size))
        outbox.put(change(of: size))
        let left = outbox.takeAll()
        guard case .lost? = left.first, left.count == 1 else {
            Issue.record("the connection was not ended")
            return
        }
    }

    @Test func `one change may be larger than the bound, and first data does not count`() {
        let outbox = RealtimeOutbox {}
        let size = RealtimeOutbox.byteCountMax + 1
        outbox.put(change(of: size))
        guard case .push? = outbox.takeAll().first else {
            Issue.record("a change that is large alone ended the connection")
            return
        }
        for _ in 0..<3 { outbox.put(change(of: size, isFirst: true)) }
        #expect(outbox.takeAll().count == 3)
    }

    @Test func `the last message is told, and the next one wakes`() {
        let wakes = Mutex(0)
        let outbox = RealtimeOutbox { wakes.withLock { $0 += 1 } }
        for round in 1...3 {
            for number in 0..<40 { outbox.put(.answer(.done, request: number)) }
            #expect(wakes.withLock { $0 } == round)
            let told = (0..<41).compactMap { _ in outbox.next()?.isLast }
            #expect(told == (0..<40).map { $0 == 39 })
        }
    }

    @Test func `an outbox that nobody empties ends its connection and holds no more`() {
        let wakes = Mutex(0)
        let outbox = RealtimeOutbox { wakes.withLock { $0 += 1 } }
        for number in 0...(RealtimeOutbox.messageCountMax + 10) {
            outbox.put(.answer(.done, request: number))
        }
        let messages = outbox.takeAll()
        #expect(messages.count == 1)
        guard case .lost? = messages.first else {
            Issue.record("the connection was not ended")
            return
        }
        #expect(wakes.withLock { $0 } == 2)
        outbox.put(.answer(.done, request: 0))
        #expect(outbox.takeAll().isEmpty)
    }
}

extension RealtimeOutbox {
    /// Takes everything that waits.
    fileprivate func takeAll() -> [Message] {
        var messages: [Message] = []
        while let next = next() { messages.append(next.message) }
        return messages
    }
}
