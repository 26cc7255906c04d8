import HearthFirestore
import HearthModel
import NIOCore
import NIOPosix
import Synchronization

/// Knows whether a backend's address takes connections.
///
/// The probe connects when it is asked, and again and again while nobody answers, with pauses that
/// grow. A connection costs the backend nothing, and is closed at once.
///
///     unknown --knock--> reachable | unreachable --(after a pause)--> reachable | unreachable
final class BackendProbe: Sendable {
    private struct State {
        var reach = BackendReach.unknown
        /// The attempt that counts; its result is dropped once another attempt counts.
        var attempt = 0
        var isTrying = false
        var isStopped = false
        var triedAt: NIODeadline?
        var pause = pauseMin
        var next: Scheduled<Void>?
        /// Who waits for the end of the attempt.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// How long an attempt may take, the look-up of the name included.
    static let timeout = TimeAmount.milliseconds(900)
    /// An attempt within this time of the last one would tell nothing new.
    static let restingTime = TimeAmount.milliseconds(500)
    /// The first pause between attempts that fail.
    static let pauseMin = TimeAmount.seconds(1)
    /// The longest pause: as long as an engine's longest back-off.
    static let pauseMax = TimeAmount.seconds(60)

    private let address: BackendAddress
    private let loop: any EventLoop
    private let state = Mutex(State())

    /// A probe that has not tried yet.
    init(
        _ address: BackendAddress,
        on loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    ) {
        self.address = address
        self.loop = loop
    }

    /// What the last attempt showed.
    var reach: BackendReach { state.withLock { $0.reach } }

    /// Tries now, unless an attempt is under way or was made a moment ago.
    func knock() {
        let now = loop.now
        let isDue = state.withLock {
            guard let triedAt = $0.triedAt else { return true }
            return triedAt + Self.restingTime <= now
        }
        if isDue { tryNow() }
    }

    /// Tries, and returns when the attempt has ended; an attempt that was begun since a time is as good.
    ///
    /// Takes `timeout` at most. A call that failed asks here, so that whoever hears of its failure
    /// can ask `reach` for the reason.
    ///
    /// - Parameter time: When the call was begun.
    func settle(since time: NIODeadline) async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                let isSettled = !state.isTrying && state.triedAt.map { $0 >= time } ?? false
                let waits = !state.isStopped && !isSettled
                if waits { state.waiting.append(continuation) }
                return waits
            }
            if waits { tryNow() } else { continuation.resume() }
        }
    }

    /// Somebody has met the backend.
    func met() {
        conclude(.reachable, of: nil)
    }

    /// Tries no more.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            state.next?.cancel()
            state.next = nil
            return Self.takeWaiting(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    private func tryNow() {
        let now = loop.now
        let attempt = state.withLock { state -> Int? in
            if state.isTrying || state.isStopped { return nil }
            state.isTrying = true
            state.triedAt = now
            state.attempt += 1
            state.next?.cancel()
            state.next = nil
            return state.attempt
        }
        guard let attempt else { return }
        // The time counts for the look-up of a name too, which no connection's timeout covers.
        let deadline = loop.scheduleTask(in: Self.timeout) { [self] in
            conclude(.unreachable(failure("no answer in \(Self.timeout)")), of: attempt)
        }
        connect().whenComplete { [self] result in
            deadline.cancel()
            switch result {
            case .success(let channel):
                channel.close(promise: nil)
                conclude(.reachable, of: attempt)
            case .failure(let error):
                conclude(.unreachable(failure("\(error)")), of: attempt)
            }
        }
    }

    private func connect() -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(Self.timeout)
        return switch address {
        case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
        case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
        }
    }

    /// Notes a result: of an attempt, or of somebody else's call.
    private func conclude(_ reach: BackendReach, of attempt: Int?) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if let attempt {
                guard state.isTrying, attempt == state.attempt else { return [] }
                state.isTrying = false
            }
            state.reach = reach
            switch reach {
            case .unknown, .reachable: state.pause = Self.pauseMin
            case .unreachable: scheduleNext(&state)
            }
            return attempt == nil ? [] : Self.takeWaiting(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    private static func takeWaiting(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        defer { state.waiting = [] }
        return state.waiting
    }

    private func scheduleNext(_ state: inout State) {
        if state.isStopped { return }
        state.next = loop.scheduleTask(in: state.pause) { [weak self] in
            guard let self else { return }
            // Attempts that calls have asked for do not count.
            self.state.withLock { $0.pause = min($0.pause + $0.pause, Self.pauseMax) }
            tryNow()
        }
    }

    private func failure(_ reason: String) -> HearthError {
        HearthError(
            code: .unavailable, message: "The backend at \(address) cannot be reached: \(reason).")
    }
}
