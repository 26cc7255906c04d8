package import HearthModel
import Synchronization

/// Shows tokens of a source, each as long as it lasts: the shell of `TokenMachine`.
package final class TokenCredentials: Credentials {
    private struct State {
        var machine = TokenMachine()
        var lastCaller: UInt64 = 0
        var callers: [TokenMachine.CallerID: CheckedContinuation<Answer, Never>] = [:]
        var random = SystemRandomNumberGenerator()
    }

    private typealias Answer = Result<AccessToken, HearthError>

    private let state = Mutex(State())
    private let source: any TokenSource
    private let clock: any RemoteClock
    private let watch: @Sendable (CredentialsState) -> Void

    /// Shows tokens of `source`.
    ///
    /// - Parameters:
    ///   - source: Fetches a token.
    ///   - clock: Says when a token is due for a new one.
    ///   - watch: Hears the state of the credentials when the state changes. Must not call back.
    package init(
        _ source: any TokenSource, clock: any RemoteClock = SystemRemoteClock(),
        watch: @escaping @Sendable (CredentialsState) -> Void = { _ in }
    ) {
        self.source = source
        self.clock = clock
        self.watch = watch
    }

    /// Fetches the first token, so that a failure is told before the first call.
    package func start() {
        take { machine, now, _ in machine.started(at: now) }
    }

    /// Hears that another user is signed in, or nobody.
    package func identityChanged() {
        take { machine, now, _ in machine.identityChanged(at: now) }
    }

    package func headers(as user: UserID?) async throws(HearthError) -> [Header] {
        let caller = state.withLock { state in
            state.lastCaller += 1
            return TokenMachine.CallerID(state.lastCaller)
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.callers[caller] = continuation }
                take { machine, now, _ in machine.asked(caller, as: user, at: now) }
                if Task.isCancelled { take { machine, _, _ in machine.cancelled(caller) } }
            }
        } onCancel: {
            take { machine, _, _ in machine.cancelled(caller) }
        }
        return try answer.get().headers
    }

    package func refused(_ headers: [Header]) async {
        guard let value = headers.bearerToken else { return }
        take { machine, now, random in machine.refused(value, at: now, using: &random) }
    }

    package func believed(_ headers: [Header]) async {
        guard let value = headers.bearerToken else { return }
        take { machine, _, _ in machine.believed(value) }
    }

    /// Gives the machine an input, and carries out what it decides.
    private func take(
        _ input:
            (inout TokenMachine, Timestamp, inout SystemRandomNumberGenerator) ->
            [TokenMachine.Action]
    ) {
        let now = clock.now()
        let (actions, answers) = state.withLock { state in
            let actions = input(&state.machine, now, &state.random)
            var answers: [(CheckedContinuation<Answer, Never>, Answer)] = []
            for action in actions {
                guard let (caller, answer) = Self.answer(action) else { continue }
                guard let waiting = state.callers.removeValue(forKey: caller) else { continue }
                answers.append((waiting, answer))
            }
            // Tells under the lock, so that the watcher hears the states in the order of the
            // decisions.
            for case .tell(let news) in actions { watch(news) }
            return (actions, answers)
        }
        for (caller, answer) in answers { caller.resume(returning: answer) }
        for action in actions { perform(action) }
    }

    private static func answer(
        _ action: TokenMachine.Action
    ) -> (TokenMachine.CallerID, Answer)? {
        switch action {
        case .answer(let caller, let token): (caller, .success(token))
        case .fail(let caller, let error): (caller, .failure(error))
        case .fetch, .wake, .tell: nil
        }
    }

    private func perform(_ action: TokenMachine.Action) {
        switch action {
        case .answer, .fail, .tell: break  // Done already.
        case .fetch(let number):
            // Ends by itself, at the latest when its endpoint is given up.
            Task { [source, weak self] in
                do throws(HearthError) {
                    let token = try await source.fetch()
                    self?.take { machine, _, _ in machine.fetched(number, token) }
                } catch {
                    let failure = HearthError(withoutToken: error)
                    self?.take { machine, now, random in
                        machine.failed(number, failure, at: now, using: &random)
                    }
                }
            }
        case .wake(let number, let delay):
            Task { [clock, weak self] in
                try? await clock.pause(for: delay)
                self?.take { machine, now, _ in machine.elapsed(number, at: now) }
            }
        }
    }
}

extension HearthError {
    /// How a call is told that there is no token: never by a code that is for good, because that
    /// would reject writes and listeners, which only have to wait until the key is mended.
    fileprivate init(withoutToken error: HearthError) {
        self.init(
            code: error.code.isPermanent ? .unauthenticated : error.code, message: error.message)
    }
}
