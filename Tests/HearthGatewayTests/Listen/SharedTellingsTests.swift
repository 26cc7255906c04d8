import HearthFirestore
import HearthModel
import HearthServer
import HearthTestSupport
import Testing

@testable import HearthGateway

/// Many clients who are told the same.
struct SharedTellingsTests {
    private static let id = WireTargetID(2)

    /// A client at the end of a stream of its own.
    private struct Seat {
        var stream: ListenStream
        var client = PatientClient()
        var messages: [ListenMessage] = []

        init(_ number: UInt64, _ rooms: inout WatchedRooms, _ first: SharedSnapshot) throws {
            stream = ListenStream(epoch: 1, id: number, at: .zero)
            let shape = try ListenShape(rooms.query.target.structuredQuery)
            stream.add(GatewayTarget(SharedTellingsTests.id, shape))
            received(first)
        }

        mutating func received(_ shared: SharedSnapshot) {
            stream.received(shared, of: 0, for: SharedTellingsTests.id)
        }

        mutating func reads(
            _ count: Int = .max, at now: Duration = .zero, isSettling: Bool = false
        ) {
            for _ in 0..<count {
                guard let message = stream.next(at: now, isSettling: isSettling) else { return }
                messages.append(message)
                client.received(message)
            }
        }

        /// The documents of the last message that others are told, too.
        var told: SharedDocuments? {
            messages.lazy.reversed().compactMap { message in
                if case .told(let shared, _) = message { shared } else { nil }
            }.first
        }
    }

    private func seats(_ count: Int, _ rooms: inout WatchedRooms) throws -> [Seat] {
        let first = SharedSnapshot(rooms.whole())
        return try (0..<count).map { try Seat(UInt64($0), &rooms, first) }
    }

    @Test func `clients who were shown the same share what they are told next`() throws {
        var rooms = WatchedRooms()
        var seats = try seats(3, &rooms)
        for place in seats.indices { seats[place].reads() }
        for number in 1...3 {
            let next = SharedSnapshot(rooms.commits("hall", Int64(number)))
            for place in seats.indices { seats[place].received(next) }
            for place in seats.indices { seats[place].reads() }
            let told = try #require(seats[0].told)
            #expect(told.documents.map(\.key) == [WatchedRooms.key("hall")])
            #expect(seats.allSatisfy { $0.told === told && $0.client.shows(rooms.documents) })
        }
    }

    @Test func `who missed a snapshot is told the difference from what was shown`() throws {
        var rooms = WatchedRooms()
        var seats = try seats(2, &rooms)
        for place in seats.indices { seats[place].reads() }
        for name in ["hall", "attic"] {
            let next = SharedSnapshot(rooms.commits(name))
            for place in seats.indices { seats[place].received(next) }
            seats[0].reads()
        }
        seats[1].reads()
        #expect(seats[1].told == nil)
        #expect(seats.allSatisfy { $0.client.shows(rooms.documents) })
        // From here on both are told the same again.
        let next = SharedSnapshot(rooms.removes("hall"))
        for place in seats.indices {
            seats[place].received(next)
            seats[place].reads()
        }
        #expect(seats.allSatisfy { $0.client.shows(rooms.documents) })
    }

    @Test func `shared documents are encoded once for each number of a target`() throws {
        let hall = Document.found(
            WatchedRooms.key("hall"), at: SnapshotVersion(Timestamp(microseconds: 1)), [:])
        let shared = try #require(SharedDocuments([hall]))
        var count: UInt8 = 0
        func encode(_ document: Document) throws(HearthError) -> [UInt8] {
            count += 1
            return [count]
        }
        #expect(try shared.messages(to: WireTargetID(2), encode) == [[1]])
        #expect(try shared.messages(to: WireTargetID(2), encode) == [[1]])
        #expect(try shared.messages(to: WireTargetID(3), encode) == [[2]])
        for number in 4...6 {
            #expect(try shared.messages(to: WireTargetID(Int32(number)), encode).count == 1)
        }
        #expect(try shared.messages(to: WireTargetID(6), encode) != [[5]])  // Not kept for ever.
    }

    @Test func `so many bytes that they should leave by themselves are not shared`() {
        let text = String(repeating: "a", count: 70_000)
        let hall = Document.found(
            WatchedRooms.key("hall"), at: SnapshotVersion(Timestamp(microseconds: 1)),
            ["text": .string(text)])
        #expect(SharedDocuments([hall]) == nil)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `clients of different pace are all shown what the view shows`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var rooms = WatchedRooms()
        if seed % 3 == 2 {
            var query = rooms.query
            query.limit = Query.Limit(8)
            rooms = WatchedRooms(query)
        }
        var seats = try seats(4, &rooms)
        var now = Duration.zero
        for _ in 0..<60 {
            let next = SharedSnapshot(change(&rooms, &random))
            now += .milliseconds(Int64.random(in: 0...100, using: &random))
            for place in seats.indices {
                seats[place].received(next)
                guard Int.random(in: 0...3, using: &random) > place - 1 else { continue }
                let count = Bool.random(using: &random) ? Int.max : 2
                seats[place].reads(count, at: now, isSettling: seed % 2 == 0)
            }
        }
        for place in seats.indices {
            seats[place].reads(at: now)
            #expect(seats[place].client.shows(rooms.documents))
            #expect(seats[place].stream.waitingByteCount == 0)
            let times = seats[place].client.readTimes
            #expect(times == times.sorted())
        }
    }

    private func change(
        _ rooms: inout WatchedRooms, _ random: inout SeededGenerator
    ) -> ViewSnapshot {
        let name = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
        let number = Int64.random(in: 0...9, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: return rooms.commits(name, number)
        case 5, 6: return rooms.writes(name, number)
        case 7: return rooms.becomes(isFromCache: Bool.random(using: &random))
        default:
            guard rooms.documents.contains(WatchedRooms.key(name)) else {
                return rooms.commits(name, number)
            }
            return rooms.removes(name, isMissing: Bool.random(using: &random))
        }
    }
}
