import GRPCCore
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthGateway

/// A batch of sets and deletes through a daemon's gateway, as a listener of the same daemon sees it.
///
/// A slow machine may show a batch twice, before the commit and after, but never in parts.
@Suite(.timeLimit(.minutes(2)))
struct WholeWritesCallTests {
    private static let rounds: ClosedRange<Int64> = 1...12

    /// Sets two rooms and deletes two others, in turn: there are always two, with the same number.
    private func exchange(_ number: Int64) -> [ProtoWrite] {
        let rooms = ["a", "b", "c", "d"].map { "rooms/\($0)" }
        let (set, deleted) =
            number.isMultiple(of: 2)
            ? (rooms.prefix(2), rooms.suffix(2)) : (rooms.suffix(2), rooms.prefix(2))
        return set.map { Writes.set($0, number) } + deleted.map { Writes.delete($0) }
    }

    /// Moves two rooms into a query for `m == 1`, and two others out of it, by one write.
    private func move(_ number: Int64) -> [ProtoWrite] {
        ["a", "b", "c", "d"].enumerated().map { place, name in
            Writes.set("rooms/\(name)", number) {
                let isIn = (place < 2) == number.isMultiple(of: 2)
                $0.update.fields.append(
                    .with {
                        $0.key = "m"
                        $0.value.integerValue = isIn ? 1 : 0
                    })
            }
        }
    }

    enum Kind: CaseIterable {
        case deletes, leavesQuery, leavesLimit
    }

    private func target(of kind: Kind, _ target: inout ProtoTarget) {
        switch kind {
        case .deletes: break
        case .leavesQuery:
            target.query.structuredQuery.where.fieldFilter = .with {
                $0.field.fieldPath = "m"
                $0.op = .equal
                $0.value.integerValue = 1
            }
        case .leavesLimit:
            target.query.structuredQuery.orderBy = [
                .with {
                    $0.field.fieldPath = "m"
                    $0.direction = .descending
                }
            ]
            target.query.structuredQuery.limit.value = 2
        }
    }

    private func writes(_ number: Int64, of kind: Kind) -> [ProtoWrite] {
        kind == .deletes ? exchange(number) : move(number)
    }

    /// Makes batch after batch, and waits until the listener has the last of each.
    ///
    /// - Returns: The listener's pictures since before the first batch.
    private func pictures(
        of kind: Kind, _ client: GatewayClient
    ) async throws -> ArraySlice<[String: Int64]> {
        _ = try await client.commit(all: writes(0, of: kind))
        let talk = ListenTalk(client)
        talk.listen(to: "rooms") { wanted in target(of: kind, &wanted) }
        let first = try await eventually({ talk.pictures }, is: { $0.last?.count == 2 })
        for number in Self.rounds {
            _ = try await client.commit(all: writes(number, of: kind))
            _ = try await eventually({ talk.pictures }) { pictures in
                pictures.last?.values.contains(number) ?? false
            }
        }
        return talk.pictures.dropFirst(first.count - 1)
    }

    @Test(arguments: Kind.allCases)
    func `each picture of a listener has the whole of each batch`(kind: Kind) async throws {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withClient { client in
                let torn = try await pictures(of: kind, client).filter { picture in
                    picture.count != 2 || Set(picture.values).count != 1
                }
                #expect(torn.isEmpty, "\(torn)")
            }
        }
    }

    @Test func `who listens to documents by their names sees the whole of a batch`() async throws {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withClient { client in
                _ = try await client.commit(Writes.set("rooms/a", 1), Writes.set("rooms/b", 1))
                let talk = ListenTalk(client)
                talk.listen(toDocuments: ["rooms/a", "rooms/b"])
                _ = try await eventually({ talk.pictures }, is: { $0.last?.count == 2 })
                _ = try await client.commit(Writes.delete("rooms/a"), Writes.set("rooms/b", 2))
                _ = try await eventually({ talk.pictures }, is: { $0.last == ["b": 2] })
                #expect(!talk.pictures.contains(["b": 1]))
                #expect(!talk.pictures.contains(["a": 1, "b": 2]))
            }
        }
    }
}
