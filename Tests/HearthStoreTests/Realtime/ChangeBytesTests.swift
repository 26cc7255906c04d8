import HearthEngine
import HearthModel
import Testing

@testable import HearthStore

struct ChangeBytesTests {
    private static let counter = UnresolvedNode(.increment(.integer(2)), priority: .string("p"))

    @Test(arguments: [
        RealtimeChange.set(at("a/b"), UnresolvedNode(Node(.string("é\u{1F600}\"\\")))),
        .set(at("/"), UnresolvedNode(.empty)),
        .set(at("a", isPriority: true), UnresolvedNode(Node(.integer(-7)))),
        .set(at("a", isPriority: true), UnresolvedNode(.empty)),
        .set(at("now"), UnresolvedNode(.timestamp)), .set(at("a/n"), counter), .update("a", []),
        .update(
            "/",
            [
                .init(at("x/y"), UnresolvedNode(Node(.double(0.1), priority: .double(1.5)))),
                .init(at("z"), UnresolvedNode(.empty)), .init(at("n"), counter),
            ]),
    ])
    func `a change is given back as it was`(change: RealtimeChange) throws {
        #expect(try ChangeBytes.change(from: ChangeBytes.bytes(of: change)) == change)
    }

    @Test(arguments: UInt64(1)...6)
    func `any tree is given back as it was`(seed: UInt64) throws {
        var chance = RealtimeChance(seed: seed)
        for _ in 0..<100 {
            let set = RealtimeChange.set(WritePath(chance.path()), UnresolvedNode(chance.node()))
            let update = RealtimeChange.update(
                chance.path(),
                (0..<chance.chance(3)).map { _ in
                    .init(WritePath(chance.path()), UnresolvedNode(chance.node()))
                })
            for change in [set, update] {
                #expect(try ChangeBytes.change(from: ChangeBytes.bytes(of: change)) == change)
            }
        }
    }

    @Test func `a change costs a few bytes beyond its place and its JSON`() {
        let change = RealtimeChange.set(at("bench/k000001"), UnresolvedNode(Node(.string("hello"))))
        #expect(ChangeBytes.bytes(of: change).count == "bench/k000001\"hello\"".utf8.count + 3)
    }

    @Test func `bytes that no change has are damage`() {
        let set = ChangeBytes.bytes(of: .set(at("a"), Self.counter))
        let update = ChangeBytes.bytes(of: .update("a", [.init(at("b"), Self.counter)]))
        var wrong: [[UInt8]] = [[], [0], [3, 1, 0x61], [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]]
        wrong += (1..<set.count).map { Array(set[..<$0]) }
        wrong += [Array(update[..<(update.count - 1)]), update + [9]]
        wrong.append(Array("\u{1}\u{5}.info1".utf8))
        wrong.append(Array("\u{1}\u{C}/a/.prioritytrue".utf8))
        for bytes in wrong {
            do {
                let change = try ChangeBytes.change(from: bytes)
                Issue.record("\(bytes) was \(change)")
            } catch {
                guard case .damaged = error else {
                    Issue.record("\(bytes) was \(error)")
                    continue
                }
            }
        }
    }
}
