import HearthModel
import Testing

@testable import HearthBackend

/// A window knows the first of all matching documents, although it holds few of them.
struct WatchWindowTests {
    private static let order = DocumentOrder([OrderBy(FieldPath(["n"])), OrderBy(.documentID)])

    private func document(_ id: Int, _ number: Int, at time: Int) -> Document {
        let version = SnapshotVersion(Timestamp(seconds: Int64(time), nanoseconds: 0))
        return .found(
            key("c/\(id)"), at: version, ["n": .integer(Int64(number))], createdAt: version)
    }

    /// Keeps what a client would hold by the news alone.
    private func follow(_ held: inout [DocumentKey: Document], _ news: [WatchNews]) {
        for item in news { held[item.document.key] = item.isMember ? item.document : nil }
    }

    @Test(arguments: 0..<8) func `the news lead to the first of all that match`(
        seed: UInt64
    ) {
        var random = Lottery(seed: seed)
        var documents: [DocumentKey: Document] = [:]
        for id in 0..<60 {
            documents[key("c/\(id)")] = document(id, random.number(below: 30), at: 0)
        }
        let limit = Int(seed)
        let slack = 1 + random.number(below: 4)
        var fillCount = 0
        func first(_ count: Int) -> [Document] {
            fillCount += 1
            return Array(Self.order.sorted(documents.values).prefix(count))
        }
        var window = WatchWindow(limit: limit, order: Self.order, slack: slack, first: first)
        var held = Dictionary(uniqueKeysWithValues: window.documents.map { ($0.key, $0) })
        for time in 1...200 {
            var changes: [DocumentKey: (old: Document?, new: Document?, now: Document)] = [:]
            // The number of documents goes up and down.
            let isShrinking = time / 40 % 2 == 0
            for _ in 0...random.number(below: 4) {
                let id = random.number(below: 90)
                let name = key("c/\(id)")
                if changes[name] != nil { continue }
                let isGone = random.number(below: 4) < (isShrinking ? 3 : 1)
                let new = isGone ? nil : document(id, random.number(below: 30), at: time)
                let old = documents[name]
                if old == nil, new == nil { continue }
                let now = new ?? .missing(name, at: .zero)
                changes[name] = (old, new, now)
            }
            for (name, change) in changes { documents[name] = change.new }
            let news = window.apply(Array(changes.values), first: first)
            follow(&held, news)
            let expected = Array(Self.order.sorted(documents.values).prefix(limit))
            #expect(window.documents == expected, "seed \(seed), time \(time)")
            #expect(
                held == Dictionary(uniqueKeysWithValues: expected.map { ($0.key, $0) }),
                "seed \(seed), time \(time)")
            #expect(window.heldCount <= limit + slack * 2)
        }
        if limit > 2 { #expect(fillCount > 1, "seed \(seed)") }
    }

    @Test func `what lies behind the edge is asked for when the slack is used up, and not before`()
    {
        var documents = (0..<1_000).map { document($0, $0, at: 0) }
        var fillCount = 0
        func first(_ count: Int) -> [Document] {
            fillCount += 1
            return Array(documents.prefix(count))
        }
        var window = WatchWindow(limit: 10, order: Self.order, first: first)
        #expect(window.heldCount == 42)
        for _ in 0..<330 {
            let gone = documents.removeFirst()
            _ = window.apply([(gone, nil, .missing(gone.key, at: .zero))], first: first)
        }
        #expect(window.documents == Array(documents.prefix(10)))
        #expect(fillCount == 11)
    }
}
