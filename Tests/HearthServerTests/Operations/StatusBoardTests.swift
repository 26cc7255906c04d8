import Dispatch
import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire
import Synchronization
import Testing

@testable import HearthServer

/// When the daemon looks at its state for the sessions that listen.
struct StatusBoardTests {
    /// A daemon whose state is a number, and a session's ears.
    private final class Bench: Sendable {
        struct State {
            var count = 0
            /// The databases that are not open yet.
            var opening: Set<EngineKey> = []
            var lookCount = 0
            var heard: [StatusScope: [Int]] = [:]
            var tellCount = 0
        }

        let board = StatusBoard()
        let queue = DispatchQueue(label: "looks")
        let state = Mutex(State())
        let keys = ["a", "b"].map { EngineKey.firestore(DatabaseID(project: "demo", database: $0)) }

        init() {
            board.open(
                StatusBoard.Eyes(
                    queue: queue, look: { [weak self] in self?.look($0) },
                    lookAtAll: { [weak self] in
                        guard let self else { return [] }
                        return self.keys.compactMap { self.look($0) }
                    }))
        }

        private func look(_ key: EngineKey) -> StatusReport? {
            state.withLock { state in
                state.lookCount += 1
                guard !state.opening.contains(key) else { return nil }
                var report = StatusReport(database: key)
                report.queueBatchCount = state.count
                return report
            }
        }

        /// Sets the state, and tells the board.
        func change(_ key: EngineKey?, _ change: (inout State) -> Void = { $0.count += 1 }) {
            state.withLock { change(&$0) }
            board.changed(key)
        }

        func follow(_ scopes: Set<StatusScope>, _ key: EngineKey, as session: UInt64 = 1) {
            board.follow(scopes, of: key, as: session) { [weak self] scope, reports in
                self?.state.withLock { state in
                    state.tellCount += 1
                    state.heard[scope, default: []] += reports.prefix(1).map(\.queueBatchCount)
                }
            }
        }

        func heard(_ scope: StatusScope) -> [Int] { state.withLock { $0.heard[scope] ?? [] } }

        var lookCount: Int { state.withLock { $0.lookCount } }

        /// How often a session was told anything.
        var tellCount: Int { state.withLock { $0.tellCount } }

        /// Waits until no look is under way.
        func settle() { queue.sync {} }
    }

    private let bench = Bench()

    @Test func `nobody looks while nobody listens, and while nothing changes`() async throws {
        bench.change(bench.keys[0])
        bench.settle()
        #expect(bench.lookCount == 0)
        bench.follow([.database], bench.keys[0])
        bench.settle()
        #expect(bench.lookCount == 0)
        bench.change(bench.keys[0])
        #expect(try await eventually({ bench.heard(.database) }, is: { !$0.isEmpty }) == [2])
        bench.follow([], bench.keys[0])
        bench.change(bench.keys[0])
        // Whoever comes later has the board look at what changes later, and at nothing else.
        bench.follow([.database], bench.keys[0], as: 2)
        bench.follow([.database], bench.keys[1], as: 3)
        bench.change(bench.keys[1])
        #expect(try await eventually({ bench.heard(.database) }, is: { $0.count > 1 }) == [2, 4])
        #expect(bench.lookCount == 2)
    }

    @Test func `a storm of changes is few looks, and the last change is seen`() async throws {
        bench.follow([.database], bench.keys[0])
        let began = ContinuousClock.now
        for _ in 0..<10_000 { bench.change(bench.keys[0]) }
        _ = try await eventually({ bench.heard(.database).last }, is: { $0 == 10_000 })
        let time = ContinuousClock.now - began
        #expect(bench.lookCount <= 2 + Int(time / StatusBoard.pause))
    }

    @Test func `a change of another database is no reason to look`() async throws {
        bench.follow([.database], bench.keys[0], as: 1)
        bench.follow([.allDatabases], bench.keys[0], as: 2)
        bench.change(bench.keys[1])
        _ = try await eventually({ bench.heard(.allDatabases) }, is: { !$0.isEmpty })
        #expect(bench.heard(.database) == [])
        bench.change(nil)
        _ = try await eventually({ bench.heard(.database) }, is: { $0 == [2] })
    }

    @Test func `a store that is being opened is looked at when it is open`() async throws {
        bench.follow([.database, .allDatabases], bench.keys[0])
        bench.change(bench.keys[0]) { $0.opening = Set(bench.keys) }
        _ = try await eventually({ bench.lookCount }, is: { $0 > 0 })
        bench.settle()
        #expect(bench.heard(.database) == [] && bench.tellCount == 0)
        bench.change(bench.keys[0]) { ($0.opening, $0.count) = ([], 7) }
        _ = try await eventually({ bench.heard(.database) }, is: { $0 == [7] })
        _ = try await eventually({ bench.heard(.allDatabases) }, is: { $0 == [7] })
    }

    @Test func `a store that is being opened keeps no news of the others back`() async throws {
        bench.follow([.allDatabases], bench.keys[0])
        bench.change(bench.keys[1]) { ($0.opening, $0.count) = ([bench.keys[1]], 5) }
        _ = try await eventually({ bench.heard(.allDatabases) }, is: { $0 == [5] })
    }

    @Test func `a session that has left is told nothing`() async throws {
        bench.follow([.database], bench.keys[0], as: 1)
        bench.follow([.allDatabases], bench.keys[0], as: 2)
        bench.board.leave(1)
        bench.change(bench.keys[0])
        _ = try await eventually({ bench.heard(.allDatabases) }, is: { !$0.isEmpty })
        #expect(bench.heard(.database) == [])
    }
}
