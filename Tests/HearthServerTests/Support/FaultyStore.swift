import HearthEngine
import HearthFirestore
import HearthModel
import Synchronization

/// A store in memory that remembers its calls, and whose steps fail when a test says so.
final class FaultyStore: FirestoreStore {
    /// What a test arranges and looks at from outside; the store itself belongs to its host.
    final class Script: Sendable {
        struct State {
            var log: [String] = []
            var beginFailures: [StoreError] = []
            var commitFailures: [StoreError] = []
            /// By the number of the turn, from 1: the error, and whether it ends the whole group.
            var turnFailures: [Int: (error: StoreError, endsGroup: Bool)] = [:]
            var turnCount = 0
        }

        let state = Mutex(State())

        var log: [String] { state.withLock { $0.log } }

        func arrange(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    }

    private let script: Script
    private let inner = MemoryStore()
    private(set) var isGroupOpen = false

    init(_ script: Script) {
        self.script = script
    }

    func begin() throws(StoreError) {
        if let error = note("begin", { $0.beginFailures.popFirst() }) { throw error }
        try inner.begin()
        isGroupOpen = true
    }

    func turn<Result>(_ body: (any FirestoreTransaction) throws(StoreError) -> Result)
        throws(StoreError) -> Result
    {
        let failure = note("turn") { state in
            state.turnCount += 1
            return state.turnFailures.removeValue(forKey: state.turnCount)
        }
        if let failure {
            if failure.endsGroup { rollback() }
            throw failure.error
        }
        return try inner.turn(body)
    }

    func commit() throws(StoreError) {
        if let error = note("commit", { $0.commitFailures.popFirst() }) {
            rollback()
            throw error
        }
        try inner.commit()
        isGroupOpen = false
    }

    func rollback() {
        guard isGroupOpen else { return }
        inner.rollback()
        isGroupOpen = false
    }

    private func note<Failure>(_ step: String, _ failure: (inout Script.State) -> Failure?)
        -> Failure?
    {
        script.state.withLock { state in
            state.log.append(step)
            return failure(&state)
        }
    }
}

extension Array {
    fileprivate mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}
