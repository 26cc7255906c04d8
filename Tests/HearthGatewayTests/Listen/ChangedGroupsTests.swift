import HearthModel
import HearthTestSupport
import Testing

@testable import HearthGateway

/// What changed together is shown together.
struct ChangedGroupsTests {
    private let window = Duration.milliseconds(250)

    private func keys(_ names: String...) -> Set<DocumentKey> {
        Set(names.map { WatchedRooms.key($0) })
    }

    /// Notes that documents changed together, and takes out what may be shown.
    private func take(
        _ groups: inout ChangedGroups, _ changed: Set<DocumentKey>,
        waiting: Set<DocumentKey> = [], at now: Duration = .zero
    ) -> Set<DocumentKey> {
        groups.join(changed)
        return groups.take(changed, at: now, for: window) { waiting.contains($0) }
    }

    @Test func `a group waits for as long as one of it waits`() {
        var groups = ChangedGroups()
        let ab = keys("a", "b")
        #expect(take(&groups, ab, waiting: ab).isEmpty)
        #expect(groups.firstEnd == window)
        #expect(take(&groups, keys("c")) == keys("c"))
        #expect(take(&groups, keys("a")).isEmpty)
        #expect(Set(groups.names) == ab && groups.count == 2)
        #expect(take(&groups, keys("b")) == ab)
        #expect(groups.isEmpty && groups.firstEnd == nil)
    }

    @Test func `a group that waits too long is shown whole`() {
        var groups = ChangedGroups()
        _ = take(&groups, keys("a", "b"), waiting: keys("a"))
        _ = take(&groups, keys("c"), waiting: keys("c"), at: .milliseconds(100))
        #expect(take(&groups, [], at: .milliseconds(249)).isEmpty)
        #expect(take(&groups, [], at: .milliseconds(250)) == keys("a", "b"))
        #expect(groups.firstEnd == .milliseconds(350))
        #expect(take(&groups, [], at: .milliseconds(400)) == keys("c"))
        #expect(groups.isEmpty)
    }

    @Test func `groups that share a document are one, and end when the first does`() {
        var groups = ChangedGroups()
        _ = take(&groups, keys("a", "b"), waiting: keys("a", "b"))
        let later = Duration.milliseconds(100)
        _ = take(&groups, keys("c", "d", "e"), waiting: keys("c"), at: later)
        _ = take(&groups, keys("b", "c"), waiting: keys("b", "c"), at: later)
        #expect(groups.firstEnd == window)
        #expect(take(&groups, keys("b", "c"), at: later).isEmpty)
        #expect(take(&groups, keys("a"), at: later) == keys("a", "b", "c", "d", "e"))
        #expect(groups.firstEnd == nil)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `by chance, no more and no less is held back than what waits and hangs together`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let all = (0..<12).map { WatchedRooms.key("r\($0)") }
        var groups = ChangedGroups()
        var held: [(names: Set<DocumentKey>, end: Duration)] = []
        var waiting: Set<DocumentKey> = []
        var now = Duration.zero
        for _ in 0..<300 {
            now += .milliseconds(Int64.random(in: 0...40, using: &random))
            let count = Int.random(in: 0...3, using: &random)
            let changed = Set(all.shuffled(using: &random).prefix(count))
            for name in changed {
                if Bool.random(using: &random) {
                    waiting.insert(name)
                } else {
                    waiting.remove(name)
                }
            }
            let joined = held.filter { !$0.names.isDisjoint(with: changed) }
            held.removeAll { !$0.names.isDisjoint(with: changed) }
            let names = joined.reduce(changed) { $0.union($1.names) }
            let end = joined.map { $0.end }.min() ?? now + window
            if !names.isEmpty { held.append((names: names, end: end)) }
            let due = held.filter { $0.names.isDisjoint(with: waiting) || $0.end <= now }
            held.removeAll { $0.names.isDisjoint(with: waiting) || $0.end <= now }
            let expected = due.reduce(into: Set<DocumentKey>()) { $0.formUnion($1.names) }
            #expect(take(&groups, changed, waiting: waiting, at: now) == expected)
            #expect(groups.firstEnd == held.map { $0.end }.min())
            // What was shown waits no more: the client has it.
            waiting.subtract(expected)
        }
    }
}
