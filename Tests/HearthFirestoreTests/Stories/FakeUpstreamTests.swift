import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

struct FakeUpstreamTests {
    private let two = TargetID(2)
    private let stream = StreamNumber(1)

    private func wire(_ number: Int32) -> WireTargetID { WireTargetID(number) }

    private func opened() -> FakeUpstream {
        var upstream = FakeUpstream()
        #expect(
            upstream.perform(.openWatch(stream, as: .unauthenticated), wireNames: [:])
                == .watchOpened(stream))
        return upstream
    }

    private func listen(_ upstream: inout FakeUpstream, _ number: Int32) {
        let request = ListenRequest(wireID: wire(number), target: Target(path: .root))
        let event = upstream.perform(.listen(stream, request), wireNames: [two: wire(number)])
        #expect(event == nil)
    }

    private func unlisten(_ upstream: inout FakeUpstream, _ number: Int32) {
        #expect(upstream.perform(.unlisten(stream, wire(number)), wireNames: [:]) == nil)
    }

    @Test func `messages about a target use its newest name`() {
        var upstream = opened()
        listen(&upstream, 2)
        unlisten(&upstream, 2)
        listen(&upstream, 4)
        #expect(upstream.name(of: two) == wire(4))
        #expect(upstream.name(of: two, index: 0) == wire(2))
        #expect(upstream.activeTargets.keys.sorted() == [two])
    }

    @Test func `answers to listens and unlistens go to the oldest name that waits`() {
        var upstream = opened()
        listen(&upstream, 2)
        #expect(upstream.nameToAdd(two) == wire(2))
        unlisten(&upstream, 2)
        listen(&upstream, 4)
        unlisten(&upstream, 4)
        listen(&upstream, 6)
        #expect(upstream.nameToRemove(two, isRefused: false) == wire(2))
        #expect(upstream.nameToAdd(two) == wire(4))
        #expect(upstream.nameToRemove(two, isRefused: false) == wire(4))
        #expect(upstream.nameToAdd(two) == wire(6))
    }

    @Test func `a refusal is for the newest name, which is watched no more`() {
        var upstream = opened()
        listen(&upstream, 2)
        #expect(upstream.nameToRemove(two, isRefused: true) == wire(2))
        #expect(upstream.activeTargets.isEmpty)
        listen(&upstream, 4)
        #expect(upstream.nameToAdd(two) == wire(4))
    }

    @Test func `a closed stream forgets its targets and keeps its count`() {
        var upstream = opened()
        listen(&upstream, 2)
        #expect(upstream.perform(.closeWatch(stream), wireNames: [:]) == nil)
        #expect(upstream.activeTargets.isEmpty)
        #expect(upstream.watchRequestCount == 1)
        #expect(!upstream.isCurrent(.watchOpened(stream)))
    }

    @Test func `handshake, writes and goodbye count as requests`() {
        var upstream = FakeUpstream()
        let key = DocumentKey(ResourcePath(["rooms", "a"])).map { Mutation(key: $0, kind: .delete) }
        let mutations = [key].compactMap(\.self)
        #expect(
            upstream.perform(.openWrite(stream, as: .unauthenticated), wireNames: [:])
                == .writeOpened(stream))
        _ = upstream.perform(.handshake(stream), wireNames: [:])
        _ = upstream.perform(.write(stream, BatchID(1), mutations, [1]), wireNames: [:])
        #expect(upstream.sent == [mutations])
        _ = upstream.perform(.closeWrite(stream, goodbye: [1]), wireNames: [:])
        #expect(upstream.writeRequestCount == 3)
        #expect(upstream.sent.isEmpty)
    }
}
