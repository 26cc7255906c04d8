import Dispatch
import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore
import HearthTestSupport
import Synchronization
import Testing

@testable import HearthServer

@Suite(.timeLimit(.minutes(1)))
struct SurveyDeskTests {
    /// Readers that stand still until they are let go.
    private final class Gate: Sendable {
        private let entered = Mutex<[UInt64]>([])
        private let opening = DispatchSemaphore(value: 0)

        /// The numbers of the surveys that have begun, in order.
        var begun: [UInt64] { entered.withLock { $0 } }

        func pass(_ order: SurveyOrder) {
            entered.withLock { $0.append(order.id.rawValue) }
            opening.wait()
        }

        func letGo(_ count: Int) { for _ in 0..<count { opening.signal() } }
    }

    /// Keeps what a desk hands over.
    private final class Ears: Sendable {
        private let inputs = Mutex<[FirestoreEngine.Input]>([])

        var heard: [FirestoreEngine.Input] { inputs.withLock { $0 } }

        func hear(_ input: FirestoreEngine.Input) { inputs.withLock { $0.append(input) } }
    }

    private let gate = Gate()
    private let ears = Ears()
    private let rooms = SurveyQuestion(Query(path: ResourcePath(["rooms"])))

    private func order(_ number: UInt64, of uid: UInt32?) -> SurveyOrder {
        SurveyOrder(
            id: SurveyID(number), question: rooms, user: .unauthenticated, session: number,
            uid: uid)
    }

    private func desk() -> SurveyDesk {
        SurveyDesk(sharing: SharedSurveyMemory()) { [gate] order, _, isWanted throws(StoreError) in
            gate.pass(order)
            return isWanted() ? .tooLarge : .failed
        }
    }

    private func run(_ errand: SurveyErrand, at desk: SurveyDesk) {
        desk.run(errand) { [ears] input, _ in ears.hear(input) }
    }

    @Test func `a user has one survey at a time, and no user waits for another`() async throws {
        let desk = desk()
        for number in UInt64(1)...3 { run(.begin(order(number, of: 7)), at: desk) }
        run(.begin(order(4, of: 8)), at: desk)
        let begun = try await eventually({ gate.begun.sorted() }, is: { $0.count == 2 })
        #expect(begun == [1, 4])
        gate.letGo(4)
        let heard = try await eventually({ ears.heard.count }, is: { $0 == 4 })
        #expect(heard == 4)
        #expect(gate.begun.filter { $0 < 4 } == [1, 2, 3])
    }

    @Test func `a survey that has ended tells nothing, begun or not`() async throws {
        let desk = desk()
        run(.begin(order(1, of: 7)), at: desk)
        run(.begin(order(2, of: 7)), at: desk)
        _ = try await eventually({ gate.begun }, is: { $0 == [1] })
        run(.end(SurveyID(1)), at: desk)
        run(.end(SurveyID(2)), at: desk)
        run(.begin(order(3, of: 7)), at: desk)
        gate.letGo(2)
        let heard = try await eventually({ ears.heard }, is: { !$0.isEmpty })
        #expect(heard == [.surveyed(SurveyID(3), .tooLarge)])
        #expect(gate.begun == [1, 3])
    }

    @Test func `surveys that have ended in the line are never begun`() async throws {
        let desk = desk()
        for number in UInt64(1)...8 { run(.begin(order(number, of: 7)), at: desk) }
        _ = try await eventually({ gate.begun }, is: { $0 == [1] })
        for number in [UInt64(3), 5, 6, 2] { run(.end(SurveyID(number)), at: desk) }
        gate.letGo(4)
        let heard = try await eventually({ ears.heard.count }, is: { $0 == 4 })
        #expect(heard == 4)
        #expect(gate.begun == [1, 4, 7, 8])
    }

    @Test func `the surveys of an engine that is no more tell nothing`() async throws {
        let desk = desk()
        run(.begin(order(1, of: 7)), at: desk)
        _ = try await eventually({ gate.begun }, is: { $0 == [1] })
        desk.endAll()
        run(.begin(order(1, of: 8)), at: desk)
        gate.letGo(2)
        let heard = try await eventually({ ears.heard }, is: { !$0.isEmpty })
        #expect(heard == [.surveyed(SurveyID(1), .tooLarge)])
    }

    @Test func `an answer is handed on at once, while a survey is taken`() async throws {
        let desk = desk()
        run(.begin(order(1, of: 7)), at: desk)
        _ = try await eventually({ gate.begun }, is: { $0 == [1] })
        run(.handOn(order(2, of: 7), .tooLarge), at: desk)
        #expect(ears.heard == [.surveyed(SurveyID(2), .tooLarge)])
        gate.letGo(1)
        let heard = try await eventually({ ears.heard.count }, is: { $0 == 2 })
        #expect(heard == 2)
        #expect(gate.begun == [1])
    }

    @Test func `a survey of two users is taken in the line that is served first, and once`()
        async throws
    {
        let desk = desk()
        for number in UInt64(1)...3 { run(.begin(order(number, of: 7)), at: desk) }
        run(.join(SurveyID(3), 8), at: desk)
        // The first user's other surveys stand in front of the shared one.
        let begun = try await eventually({ gate.begun.sorted() }, is: { $0.count == 2 })
        #expect(begun == [1, 3])
        run(.begin(order(4, of: 8)), at: desk)
        gate.letGo(4)
        let heard = try await eventually({ ears.heard.count }, is: { $0 == 4 })
        #expect(heard == 4)
        #expect(gate.begun.sorted() == [1, 2, 3, 4])
    }

    @Test func `who joins a survey that has begun, or ended, changes nothing`() async throws {
        let desk = desk()
        run(.begin(order(1, of: 7)), at: desk)
        _ = try await eventually({ gate.begun }, is: { $0 == [1] })
        run(.join(SurveyID(1), 8), at: desk)
        run(.begin(order(2, of: 7)), at: desk)
        run(.join(SurveyID(9), 8), at: desk)
        run(.begin(order(3, of: 8)), at: desk)
        _ = try await eventually({ gate.begun }, is: { $0 == [1, 3] })
        gate.letGo(3)
        let heard = try await eventually({ ears.heard.count }, is: { $0 == 3 })
        #expect(heard == 3)
        #expect(gate.begun == [1, 3, 2])
    }

    @Test func `a survey of two users that ends leaves both lines`() async throws {
        let desk = desk()
        run(.begin(order(1, of: 7)), at: desk)
        run(.begin(order(2, of: 8)), at: desk)
        _ = try await eventually({ gate.begun.sorted() }, is: { $0 == [1, 2] })
        run(.begin(order(3, of: 7)), at: desk)
        run(.join(SurveyID(3), 8), at: desk)
        run(.end(SurveyID(3)), at: desk)
        run(.begin(order(4, of: 8)), at: desk)
        gate.letGo(3)
        let heard = try await eventually({ ears.heard.count }, is: { $0 == 3 })
        #expect(heard == 3)
        #expect(gate.begun.sorted() == [1, 2, 4])
    }

    @Test func `a reader that fails says so`() async throws {
        let desk = SurveyDesk(sharing: SharedSurveyMemory()) { _, _, _ throws(StoreError) in
            throw .io("gone")
        }
        run(.begin(order(1, of: 7)), at: desk)
        let heard = try await eventually({ ears.heard }, is: { !$0.isEmpty })
        #expect(heard == [.surveyed(SurveyID(1), .failed)])
    }

    // MARK: With an engine and a store

    private static let database = DatabaseID(project: "demo")

    private func room(_ number: Int) throws -> Document {
        let version = SnapshotVersion(Timestamp(microseconds: 1))
        var room = Document.found(
            try DocumentKey(parsing: "rooms/r\(number)"), at: version,
            ["n": .integer(Int64(number))])
        room.readAt = room.version
        return room
    }

    /// An engine on a store with five rooms, whose surveys stand still at the gate.
    private func host(
        in folder: TemporaryFolder, telling outlet: RecordingOutlet
    ) throws -> EngineHost<FirestoreEngine, SQLiteStore> {
        let rooms = try (1...5).map(room)
        let reading = FirestoreReading()
        let desk = SurveyDesk(sharing: SharedSurveyMemory()) {
            [gate] order, room, isWanted throws(StoreError) in
            gate.pass(order)
            return try reading.answer(order, in: room, while: isWanted)
        }
        let store = StoreConfiguration(path: "\(folder.path)/x.sqlite", database: Self.database)
        var parts = EngineHost<FirestoreEngine, SQLiteStore>.Parts(
            key: .firestore(Self.database), clock: ManualClock(), outlet: outlet,
            openStore: { () throws(StoreError) in
                let opened = try SQLiteStore(store)
                try opened.transaction { transaction throws(StoreError) in
                    for room in rooms { try transaction.setRemoteDocument(room) }
                }
                reading.readers.use(opened.readers)
                return OpenedStore(opened)
            },
            makeEngine: {
                var configuration = FirestoreEngine.Configuration(database: Self.database)
                configuration.surveys = SurveyTerms()
                configuration.surveys?.scanCountMax = 2
                return FirestoreEngine(configuration: configuration, seed: 1)
            },
            connect: { SilentUpstream($0) })
        parts.runErrand = { errand, done in desk.run(errand, done: done) }
        return EngineHost(parts)
    }

    @Test func `writes of others are accepted while a survey is taken, and the survey has them`()
        async throws
    {
        let folder = TemporaryFolder()
        let outlet = RecordingOutlet(FaultyStore.Script())
        let host = try host(in: folder, telling: outlet)
        host.start()
        let listener = ListenerID(session: 1, number: 1)
        _ = host.submit(
            [.listen(listener, rooms.query, ListenOptions(isCacheOnly: true))],
            from: .session(1, of: 7))
        _ = try await eventually({ gate.begun }, is: { $0 == [1] })
        let key = try DocumentKey(parsing: "rooms/r6")
        let writing = RequestID(session: 2, number: 1)
        _ = host.submit(
            [
                .write(
                    WriteRequest(
                        id: writing, writer: Writer(uid: 8, gid: 8, pid: 1),
                        mutations: [Mutation(key: key, kind: .set(["n": .integer(6)]))]))
            ], from: .session(2, of: 8))
        let accepted = try await eventually(
            { outlet.actions }, is: { Self.accepts(writing, $0) })
        #expect(Self.shown(accepted, to: listener) == nil)
        gate.letGo(1)
        let told = try await eventually(
            { Self.shown(outlet.actions, to: listener) }, is: { $0 != nil })
        #expect(told == (1...6).map { "rooms/r\($0)" })
        await host.close()
    }

    private static func accepts(_ id: RequestID, _ actions: [FirestoreEngine.Action]) -> Bool {
        actions.contains { if case .accept(id, _) = $0 { true } else { false } }
    }

    private static func shown(
        _ actions: [FirestoreEngine.Action], to listener: ListenerID
    ) -> [String]? {
        for case .emit(let snapshot, let ids) in actions where ids.contains(listener) {
            return snapshot.documents.documents.map { $0.key.path.string }
        }
        return nil
    }
}
