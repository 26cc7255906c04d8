import HearthFirestore
import HearthModel
import HearthTestSupport
import Synchronization
import Testing

@testable import HearthServer

/// The memory of the surveys of several stores and several users.
@Suite(.timeLimit(.minutes(1)))
struct SharedSurveyMemoryTests {
    private static let mebibyte = 1 << 20

    /// The rooms that were given, in the order of giving, until they are dropped.
    private final class Given: Sendable {
        private struct State {
            var rooms: [(name: String, room: SharedSurveyRoom)] = []
            var names: [String] = []
            var left: [String] = []
        }

        private let state = Mutex(State())

        /// Everybody who was given room.
        var names: [String] { state.withLock { $0.names } }

        /// Everybody whose claim has left.
        var left: [String] { state.withLock { $0.left } }

        func take(_ room: SharedSurveyRoom?, for name: String) {
            state.withLock { state in
                guard let room else { return state.left.append(name) }
                state.names.append(name)
                state.rooms.append((name, room))
            }
        }

        func room(of name: String) -> SharedSurveyRoom? {
            state.withLock { state in state.rooms.first { $0.name == name }?.room }
        }

        /// Forgets a room, outside the lock.
        func drop(_ name: String) {
            let dropped = state.withLock { state in
                let place = state.rooms.firstIndex { $0.name == name }
                return place.map { state.rooms.remove(at: $0).room }
            }
            withExtendedLifetime(dropped) {}
        }
    }

    private let given = Given()

    @discardableResult
    private func ask(
        _ memory: SharedSurveyMemory, _ byteCount: Int, of owner: UInt32, as name: String
    ) -> UInt64 {
        memory.ask(byteCount, of: owner) { [given] room in given.take(room, for: name) }
    }

    private func room(of name: String) async throws -> SharedSurveyRoom {
        let room = try await eventually({ given.room(of: name) }, is: { $0 != nil })
        return try #require(room)
    }

    @Test func `whoever asks while there is room keeps nobody from growing`() async throws {
        let memory = SharedSurveyMemory()
        ask(memory, SurveyMemoryLimits.firstByteCount, of: 1, as: "a")
        let room = try await room(of: "a")
        // Nobody has begun the others yet, perhaps.
        for owner in UInt32(2)...9 {
            ask(memory, SurveyMemoryLimits.firstByteCount, of: owner, as: "\(owner)")
            #expect(memory.waitingCount == 0)
            #expect(room.hold(2 * Self.mebibyte))
        }
    }

    @Test func `a room grows by pieces, and gives back what the answer does not hold`() async throws
    {
        let memory = SharedSurveyMemory()
        ask(memory, SurveyMemoryLimits.firstByteCount, of: 1, as: "a")
        let room = try await room(of: "a")
        #expect(memory.byteCount == SurveyMemoryLimits.firstByteCount)
        #expect(room.hold(3 * Self.mebibyte))
        #expect(memory.byteCount == 6 * Self.mebibyte)
        room.letGo(Self.mebibyte)
        #expect(memory.byteCount == 6 * Self.mebibyte)
        room.settle()
        #expect(memory.byteCount == 2 * Self.mebibyte)
        room.end()
        room.end()
        #expect(memory.byteCount == 0)
    }

    @Test func `a survey has no more than one may, however much is free`() async throws {
        let memory = SharedSurveyMemory()
        ask(memory, SurveyMemoryLimits.firstByteCount, of: 1, as: "a")
        let room = try await room(of: "a")
        let most = SurveyMemoryLimits.surveyByteCountMax - SurveyMemoryLimits.readerByteCount
        #expect(!room.hold(most + 1))
        #expect(!room.hold(.max))
        #expect(room.greaterClaim == nil)
        #expect(room.hold(most))
        #expect(memory.byteCount == SurveyMemoryLimits.surveyByteCountMax)
    }

    @Test func `an answer keeps its room as long as somebody has the answer`() async throws {
        let memory = SharedSurveyMemory()
        ask(memory, SurveyMemoryLimits.firstByteCount, of: 1, as: "a")
        var holds = [SurveyHold(try await room(of: "a"))]
        given.drop("a")
        #expect(memory.byteCount == SurveyMemoryLimits.firstByteCount)
        holds.append(holds[0])
        holds.removeFirst()
        #expect(memory.byteCount == SurveyMemoryLimits.firstByteCount)
        holds.removeAll()
        _ = try await eventually({ memory.byteCount }, is: { $0 == 0 })
    }

    @Test func `who finds no more room claims more, and has it when others have given back`()
        async throws
    {
        let memory = SharedSurveyMemory(
            byteCountMax: 20 * Self.mebibyte, surveyByteCountMax: 18 * Self.mebibyte)
        ask(memory, 4 * Self.mebibyte, of: 1, as: "a")
        ask(memory, 16 * Self.mebibyte, of: 2, as: "b")
        let first = try await room(of: "a")
        _ = try await room(of: "b")
        #expect(!first.hold(3 * Self.mebibyte))
        let greater = try #require(first.greaterClaim)
        #expect(greater == 16 * Self.mebibyte)
        first.end()
        ask(memory, greater, of: 1, as: "a again")
        #expect(memory.waitingCount == 1)
        given.drop("b")
        let second = try await room(of: "a again")
        #expect(second.hold(10 * Self.mebibyte))
    }

    @Test func `a claim that is taken back hears so, and lets others come forward`() async throws {
        let memory = SharedSurveyMemory(
            byteCountMax: 10 * Self.mebibyte, surveyByteCountMax: 10 * Self.mebibyte)
        ask(memory, 4 * Self.mebibyte, of: 1, as: "a")
        _ = try await room(of: "a")
        let whole = ask(memory, 10 * Self.mebibyte, of: 2, as: "whole")
        ask(memory, 4 * Self.mebibyte, of: 3, as: "b")
        memory.leave(whole)
        _ = try await room(of: "b")
        memory.leave(whole)
        #expect(given.left == ["whole"])
        #expect(given.names == ["a", "b"])
    }

    @Test func `with every survey of every store full, all hold what the budget counts`()
        async throws
    {
        let memory = SharedSurveyMemory()
        var configuration = ServerConfiguration()
        configuration.database = DatabaseID(project: "demo")
        let part = try #require(
            MemoryBudget(configuration).parts.first { $0.name == "long looks at the cache" })
        #expect(part.byteCount == 128 << 20)
        // As many surveys as all stores can have at once.
        let names = (0..<configuration.databaseCountMax * SurveyDesk.countMax).map { "\($0)" }
        for (number, name) in names.enumerated() {
            ask(memory, SurveyMemoryLimits.firstByteCount, of: UInt32(number % 7), as: name)
        }
        var servedCount = 0
        while servedCount < names.count {
            let begun = try await eventually(
                { given.names }, is: { $0.count > servedCount })
            for name in begun[servedCount...] {
                let room = try #require(given.room(of: name))
                while room.hold(100_000) { #expect(memory.byteCount <= part.byteCount) }
            }
            #expect(memory.byteCount <= part.byteCount)
            if servedCount == 0 {
                _ = try await eventually(
                    { memory.byteCount }, is: { $0 == part.byteCount })
            }
            for name in begun[servedCount...] { given.drop(name) }
            servedCount = begun.count
        }
        #expect(Set(given.names) == Set(names))
        _ = try await eventually({ memory.byteCount }, is: { $0 == 0 })
    }
}
