import HearthEngine
import HearthModel
import HearthServer
import Synchronization

/// An engine of another kind than Firestore's: the engine keeps a single sum in its store.
///
///     add         > the sum, told; announced to the backend; a timer runs until the backend confirms
///     backend     > the sum is confirmed
struct CounterEngine: Engine {
    enum Input: EngineInput, Equatable {
        case lifecycle(LifecycleStep)
        case timerFired(Timer)
        case upstream(Event)
        case add(RequestID, Int)
    }

    enum Effect: EngineEffect, Equatable {
        case told(RequestID, sum: Int)
        case refused(RequestID)
        case announce(Command)
        case schedule(Timer, after: Duration)
        case cancel(Timer)
        case confirmed(sum: Int)
    }

    enum Timer: EngineTimer {
        case patience

        var isReconnection: Bool { false }
        var isBackground: Bool { false }
    }

    struct Command: EngineCommand, Equatable {
        let sum: Int

        var sending: SendingStep? { .batch }
    }

    struct Event: Sendable, Equatable {
        let confirmed: Int
    }

    /// What was added since the start, to show that memory moves with the disk.
    private var added = 0

    mutating func take(
        _ input: Input, at now: Timestamp, in store: CounterTransaction
    ) throws(StoreError) -> [Effect] {
        switch input {
        case .add(let id, let number):
            added += number
            try store.setSum(store.sum + number)
            guard store.sum == added else { throw .damaged("memory and store differ") }
            return [
                .told(id, sum: store.sum), .announce(Command(sum: store.sum)),
                .schedule(.patience, after: .seconds(3)),
            ]
        case .upstream(let event): return [.cancel(.patience), .confirmed(sum: event.confirmed)]
        case .timerFired(.patience): return [.announce(Command(sum: store.sum))]
        case .lifecycle: return []
        }
    }

    mutating func turnFailed(_ input: Input, _ error: StoreError, at now: Timestamp) -> [Effect] {
        input.refusal(HearthError(code: .unavailable, message: "\(error)"))
    }

    static func reading(in decided: [Effect], of input: Input) -> Int? {
        guard case .told(_, let sum)? = decided.first else { return nil }
        return sum
    }
}

extension CounterEngine.Input {
    var role: InputRole<CounterEngine.Timer> {
        switch self {
        case .lifecycle(let step): .lifecycle(step)
        case .timerFired(let timer): .timerFired(timer)
        case .upstream: .upstream(settlesWrites: true)
        case .add: .request
        }
    }

    var needsRoom: Bool { if case .add = self { true } else { false } }

    func refusal(_ error: HearthError) -> [CounterEngine.Effect] {
        if case .add(let id, _) = self { [.refused(id)] } else { [] }
    }
}

extension CounterEngine.Effect {
    var role: EffectRole<CounterEngine.Timer, CounterEngine.Command, Never> {
        switch self {
        case .told: .tell(.accepted)
        case .refused: .tell(.refused)
        case .announce(let command): .upstream(command)
        case .schedule(let timer, let delay): .schedule(timer, after: delay)
        case .cancel(let timer): .cancel(timer)
        case .confirmed: .note(.committed)
        }
    }

    var movedTimer: CounterEngine.Timer? {
        switch self {
        case .schedule(let timer, _), .cancel(let timer): timer
        case .told, .refused, .announce, .confirmed: nil
        }
    }
}

/// What a turn of the counter may ask: the sum, which refuses to be some number.
final class CounterTransaction {
    private(set) var sum = 0
    private let unlucky: Int

    init(unlucky: Int) {
        self.unlucky = unlucky
    }

    func setSum(_ new: Int) throws(StoreError) {
        sum = new
        if new == unlucky { throw .io("\(new) cannot be kept") }
    }

    func restore(_ old: Int) { sum = old }
}

/// A counter's store in memory.
final class CounterStore: EngineStore {
    private let transaction: CounterTransaction
    private var atBegin = 0
    private(set) var isGroupOpen = false

    init(unlucky: Int) {
        transaction = CounterTransaction(unlucky: unlucky)
    }

    /// The sum that the group has led to.
    var changes: Int { transaction.sum }

    func begin() throws(StoreError) {
        atBegin = transaction.sum
        isGroupOpen = true
    }

    func turn<Result>(_ body: (CounterTransaction) throws(StoreError) -> Result)
        throws(StoreError) -> Result
    {
        let before = transaction.sum
        do throws(StoreError) {
            return try body(transaction)
        } catch {
            transaction.restore(before)
            throw error
        }
    }

    func commit() throws(StoreError) { isGroupOpen = false }

    func rollback() {
        guard isGroupOpen else { return }
        transaction.restore(atBegin)
        isGroupOpen = false
    }
}

/// Hears and keeps what a counter's host does: for sessions, for the backend and for the memory.
final class CounterEars: EngineOutlet, EngineUpstream, AnswerMemory {
    typealias Effect = CounterEngine.Effect
    typealias Command = CounterEngine.Command

    private struct State {
        var effects: [CounterEngine.Effect] = []
        var commands: [CounterEngine.Command] = []
        var remembered: [Int] = []
        var forgottenCount = 0
    }

    private let state = Mutex(State())

    var effects: [CounterEngine.Effect] { state.withLock { $0.effects } }
    var sums: [Int] { state.withLock { $0.commands.map(\.sum) } }
    var remembered: [Int] { state.withLock { $0.remembered } }
    var forgottenCount: Int { state.withLock { $0.forgottenCount } }

    func perform(_ effects: [CounterEngine.Effect]) { state.withLock { $0.effects += effects } }
    func perform(_ command: CounterEngine.Command) {
        state.withLock { $0.commands.append(command) }
    }
    func resume(_ sessions: [UInt64]) {}
    func tell(_ news: StoreNews) {}
    func statusChanged() {}

    func endSessions(_ error: HearthError) {}
    func update(_ changes: Int, _ readings: [Int]) {
        state.withLock { $0.remembered += readings.filter { $0 == changes } }
    }
    func forgetAll() { state.withLock { $0.forgottenCount += 1 } }
}
