import Dispatch
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Synchronization
import Testing

@testable import HearthServer

/// Surveys of several stores, which share their memory.
@Suite(.timeLimit(.minutes(1)))
struct SurveyDeskMemoryTests {
    /// What the readers of all desks do, and what comes of it.
    private final class Scene: Sendable {
        private let begun = Mutex<[UInt64]>([])
        private let inputs = Mutex<[FirestoreEngine.Input]>([])
        private let opening = DispatchSemaphore(value: 0)

        /// The numbers of the surveys that a reader has begun, in order.
        var numbers: [UInt64] { begun.withLock { $0 } }

        /// What was handed over.
        var heard: [FirestoreEngine.Input] { inputs.withLock { $0 } }

        func begin(_ order: SurveyOrder) { begun.withLock { $0.append(order.id.rawValue) } }

        func hear(_ input: FirestoreEngine.Input) { inputs.withLock { $0.append(input) } }

        /// Drops what was handed over, outside the lock.
        func forget() {
            let dropped = inputs.withLock { inputs in
                defer { inputs = [] }
                return inputs
            }
            withExtendedLifetime(dropped) {}
        }

        func standStill() { opening.wait() }

        func letGo(_ count: Int) { for _ in 0..<count { opening.signal() } }
    }

    private let scene = Scene()
    private let found = SurveyFindings(documents: [:], examinedCount: 0, isComplete: true)
    /// Room for one survey that finds little.
    private let narrow = SharedSurveyMemory(
        byteCountMax: SurveyMemoryLimits.firstByteCount,
        surveyByteCountMax: SurveyMemoryLimits.firstByteCount)

    private func order(_ number: UInt64, of uid: UInt32?) -> SurveyOrder {
        SurveyOrder(
            id: SurveyID(number), question: SurveyQuestion(Query(path: ResourcePath(["rooms"]))),
            user: .unauthenticated, session: number, uid: uid)
    }

    private func run(_ errand: SurveyErrand, at desk: SurveyDesk) {
        desk.run(errand) { [scene] input, _ in scene.hear(input) }
    }

    /// A desk whose readers stand still, and then find nothing.
    private func standingDesk() -> SurveyDesk {
        SurveyDesk(sharing: narrow) { [scene] order, _, _ throws(StoreError) in
            scene.begin(order)
            scene.standStill()
            return .tooLarge
        }
    }

    /// A desk whose readers hold so many bytes, if there is room, and find documents.
    private func holdingDesk(_ byteCount: Int, sharing memory: SharedSurveyMemory) -> SurveyDesk {
        SurveyDesk(sharing: memory) { [scene, found] order, room, _ throws(StoreError) in
            scene.begin(order)
            guard room.hold(byteCount) else { return .tooLarge }
            var findings = found
            findings.hold = SurveyHold(room)
            return .documents(findings)
        }
    }

    private func begun(_ numbers: [UInt64]) async throws {
        _ = try await eventually({ scene.numbers }, is: { $0 == numbers })
    }

    @Test func `a survey of one store waits for room that another store's has`() async throws {
        let desks = [standingDesk(), standingDesk()]
        run(.begin(order(1, of: 7)), at: desks[0])
        try await begun([1])
        run(.begin(order(2, of: 8)), at: desks[1])
        #expect(narrow.waitingCount == 1)
        #expect(narrow.byteCount == SurveyMemoryLimits.firstByteCount)
        scene.letGo(1)
        try await begun([1, 2])
        scene.letGo(1)
        _ = try await eventually({ scene.heard.count }, is: { $0 == 2 })
        _ = try await eventually({ narrow.byteCount }, is: { $0 == 0 })
    }

    @Test func `users take turns at the room, however many stores one of them asks`() async throws {
        let desks = (0..<5).map { _ in standingDesk() }
        run(.begin(order(1, of: 7)), at: desks[0])
        try await begun([1])
        for number in 2...4 { run(.begin(order(UInt64(number), of: 7)), at: desks[number]) }
        run(.begin(order(5, of: 8)), at: desks[1])
        scene.letGo(5)
        _ = try await eventually({ scene.heard.count }, is: { $0 == 5 })
        #expect(scene.numbers == [1, 2, 5, 3, 4])
    }

    @Test func `who joins a survey that waits for room waits in a line of the joiner's own`()
        async throws
    {
        let desks = (0..<5).map { _ in standingDesk() }
        run(.begin(order(1, of: 7)), at: desks[0])
        try await begun([1])
        for number in 2...4 { run(.begin(order(UInt64(number), of: 7)), at: desks[number]) }
        run(.join(SurveyID(4), 8), at: desks[4])
        scene.letGo(4)
        _ = try await eventually({ scene.heard.count }, is: { $0 == 4 })
        #expect(scene.numbers == [1, 2, 4, 3])
    }

    @Test func `a survey that nobody waits for any more leaves the line for room`() async throws {
        let desks = [standingDesk(), standingDesk()]
        run(.begin(order(1, of: 7)), at: desks[0])
        try await begun([1])
        run(.begin(order(2, of: 8)), at: desks[1])
        #expect(narrow.waitingCount == 1)
        run(.end(SurveyID(2)), at: desks[1])
        #expect(narrow.waitingCount == 0)
        // The user's next survey takes the place in the store's line, and waits for room itself.
        run(.begin(order(3, of: 8)), at: desks[1])
        _ = try await eventually({ narrow.waitingCount }, is: { $0 == 1 })
        scene.letGo(2)
        _ = try await eventually({ scene.heard.count }, is: { $0 == 2 })
        #expect(scene.numbers == [1, 3])
    }

    @Test func `the surveys of an engine that is no more wait for no room`() async throws {
        let desks = [standingDesk(), standingDesk()]
        run(.begin(order(1, of: 7)), at: desks[0])
        try await begun([1])
        for number in UInt64(2)...3 {
            run(.begin(order(number, of: UInt32(number))), at: desks[1])
        }
        #expect(narrow.waitingCount == 2)
        desks[1].endAll()
        #expect(narrow.waitingCount == 0)
        run(.begin(order(4, of: 2)), at: desks[1])
        scene.letGo(2)
        _ = try await eventually({ scene.heard.count }, is: { $0 == 2 })
        #expect(scene.numbers == [1, 4])
    }

    @Test func `an answer that was handed over keeps its room until nobody has the answer`()
        async throws
    {
        let memory = SharedSurveyMemory()
        run(.begin(order(1, of: 7)), at: holdingDesk(9 << 20, sharing: memory))
        let heard = try await eventually({ scene.heard }, is: { !$0.isEmpty })
        #expect(heard == [.surveyed(SurveyID(1), .documents(found))])
        #expect(memory.byteCount == 9 << 20)
    }

    @Test func `an answer that is dropped gives its room back`() async throws {
        let memory = SharedSurveyMemory()
        run(.begin(order(1, of: 7)), at: holdingDesk(9 << 20, sharing: memory))
        _ = try await eventually({ scene.heard.count }, is: { $0 == 1 })
        #expect(memory.byteCount == 9 << 20)
        scene.forget()
        _ = try await eventually({ memory.byteCount }, is: { $0 == 0 })
    }

    @Test func `a survey that finds no more room is taken anew when others have given back`()
        async throws
    {
        let memory = SharedSurveyMemory(byteCountMax: 20 << 20, surveyByteCountMax: 16 << 20)
        run(.begin(order(1, of: 7)), at: holdingDesk(13 << 20, sharing: memory))
        _ = try await eventually({ scene.heard.count }, is: { $0 == 1 })
        #expect(memory.byteCount == 13 << 20)
        run(.begin(order(2, of: 8)), at: holdingDesk(14 << 20, sharing: memory))
        // The second has begun with little, gave that back, and waits.
        _ = try await eventually(
            { (scene.numbers, memory.waitingCount, memory.byteCount) },
            is: { $0 == ([1, 2], 1, 13 << 20) })
        scene.forget()
        let heard = try await eventually({ scene.heard }, is: { !$0.isEmpty })
        #expect(heard == [.surveyed(SurveyID(2), .documents(found))])
        #expect(scene.numbers == [1, 2, 2])
    }

    @Test func `who has joined a survey has a line of the joiner's own when it is taken anew`()
        async throws
    {
        // The second, taken anew, has all the room: the readers of two surveys would begin in any order.
        let memory = SharedSurveyMemory(byteCountMax: 16 << 20, surveyByteCountMax: 16 << 20)
        run(.begin(order(1, of: 7)), at: holdingDesk(12 << 20, sharing: memory))
        _ = try await eventually({ scene.heard.count }, is: { $0 == 1 })
        let desks = (0..<5).map { _ in
            SurveyDesk(sharing: memory) { [scene] order, room, _ throws(StoreError) in
                scene.begin(order)
                scene.standStill()
                if order.id == SurveyID(2) { _ = room.hold(6 << 20) }
                return .tooLarge
            }
        }
        run(.begin(order(2, of: 8)), at: desks[0])
        try await begun([1, 2])
        run(.join(SurveyID(2), 9), at: desks[0])
        for number in 3...6 { run(.begin(order(UInt64(number), of: 8)), at: desks[number - 2]) }
        #expect(memory.waitingCount == 4)
        // The second finds no more room, and waits behind the others, but not in the line of user 9.
        scene.letGo(1)
        _ = try await eventually(
            { (scene.numbers, memory.waitingCount) }, is: { $0 == ([1, 2, 3], 4) })
        scene.forget()
        scene.letGo(5)
        _ = try await eventually({ scene.heard.count }, is: { $0 == 5 })
        let numbers = scene.numbers
        let anew = try #require(numbers.lastIndex(of: 2))
        let behind = try #require(numbers.firstIndex(of: 5))
        #expect(numbers.count == 7 && anew < behind)
    }

    @Test func `a survey that is too large for any room is told so, and is not taken anew`()
        async throws
    {
        let memory = SharedSurveyMemory(byteCountMax: 20 << 20, surveyByteCountMax: 16 << 20)
        run(.begin(order(1, of: 7)), at: holdingDesk(15 << 20, sharing: memory))
        let heard = try await eventually({ scene.heard }, is: { !$0.isEmpty })
        #expect(heard == [.surveyed(SurveyID(1), .tooLarge)])
        #expect(scene.numbers == [1])
        _ = try await eventually({ memory.byteCount }, is: { $0 == 0 })
    }
}
