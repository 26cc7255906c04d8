import HearthEngine
import HearthFirestore
package import HearthModel

/// Keeps one token fresh for all who call. Decides; the shell fetches, waits and answers.
///
///     empty --asked--> fetching --fetched--> held --asked late--> held, fetching
///       ^                 |                    |
///       |                 +--failed--> waiting +--refused--> empty
///       +---------elapsed-----------------+        (twice: waiting)
///
/// One fetch at a time serves all callers. After a failure no caller waits: calls hear the failure
/// at once until the next attempt, which the machine makes by itself.
package struct TokenMachine: Sendable {
    /// The number of a caller who waits for a token.
    package struct CallerID: Hashable, Sendable {
        /// The number.
        package let rawValue: UInt64

        /// Wraps a number.
        package init(_ rawValue: UInt64) {
            self.rawValue = rawValue
        }
    }

    /// What the shell must do.
    package enum Action: Hashable, Sendable {
        /// Gives a caller the token.
        case answer(CallerID, AccessToken)
        /// Tells a caller that there is no token.
        case fail(CallerID, HearthError)
        /// Fetches a token, and tells `fetched` or `failed` with this number.
        case fetch(UInt64)
        /// Tells `elapsed` with this number after a while.
        case wake(UInt64, after: Duration)
        /// Tells the watcher the state of the credentials.
        case tell(CredentialsState)
    }

    private struct Waiter: Hashable, Sendable {
        let caller: CallerID
        let user: UserID?
    }

    private struct Failure: Hashable, Sendable {
        let error: HearthError
        let retryAt: Timestamp
    }

    /// A token that the backend refuses within this time of the fetch never worked.
    private static let trialPeriod = Duration.seconds(300)

    private var token: AccessToken?
    private var waiters: [Waiter] = []
    private var failure: Failure?
    private var backoff = Backoff()
    /// The running fetch.
    private var fetching: UInt64?
    private var lastNumber: UInt64 = 0
    /// Tokens refused in a row, each soon after it was fetched.
    private var refusalCount = 0
    private var lastTold: CredentialsState?

    /// A machine that holds nothing yet.
    package init() {}

    // MARK: Inputs

    /// A call needs a token.
    ///
    /// - Parameters:
    ///   - caller: The call.
    ///   - user: The user that the token must be of; `nil` for any.
    ///   - now: The time, which decides whether a token is still valid.
    package mutating func asked(
        _ caller: CallerID, as user: UserID?, at now: Timestamp
    ) -> [Action] {
        let mayFetch = fetching == nil && failure.map { $0.retryAt <= now } ?? true
        if let token, token.isValid(at: now) {
            let isLate = token.refreshAt <= now
            return [Self.answer(Waiter(caller: caller, user: user), token)]
                + (isLate && mayFetch ? [fetch(at: now)] : [])
        }
        if let failure, fetching == nil, !mayFetch { return [.fail(caller, failure.error)] }
        waiters.append(Waiter(caller: caller, user: user))
        return mayFetch ? [fetch(at: now)] : []
    }

    /// Fetches a token at the start, before anybody calls, so that a failure is told early.
    package mutating func started(at now: Timestamp) -> [Action] {
        guard token == nil, fetching == nil, failure == nil else { return [] }
        return [fetch(at: now)]
    }

    /// A caller waits no more.
    package mutating func cancelled(_ caller: CallerID) -> [Action] {
        guard let index = waiters.firstIndex(where: { $0.caller == caller }) else { return [] }
        waiters.remove(at: index)
        return [.fail(caller, HearthError(code: .cancelled, message: "The call was cancelled."))]
    }

    /// A token came.
    package mutating func fetched(_ number: UInt64, _ token: AccessToken) -> [Action] {
        guard fetching == number else { return [] }  // Fetched for somebody who has gone.
        fetching = nil
        failure = nil
        self.token = token
        if refusalCount == 0 { backoff.reset() }
        defer { waiters = [] }
        // After fresh tokens were refused, only the backend's belief proves another.
        return waiters.map { Self.answer($0, token) } + (refusalCount < 2 ? tell(.ready) : [])
    }

    /// The fetch of a number failed.
    ///
    /// - Parameters:
    ///   - number: The fetch, as `Action.fetch` named it.
    ///   - error: Why.
    ///   - now: The time, from which the pause counts.
    ///   - random: Chooses the pause before the next try.
    package mutating func failed<Random: RandomNumberGenerator>(
        _ number: UInt64, _ error: HearthError, at now: Timestamp, using random: inout Random
    ) -> [Action] {
        guard fetching == number else { return [] }  // Fetched for somebody who has gone.
        fetching = nil
        let wake = wait(error, at: now, using: &random)
        // None who waits had a valid token to show.
        let answers = waiters.map { Action.fail($0.caller, error) }
        waiters = []
        let serves = token?.isValid(at: now) ?? false
        return answers + [wake] + (serves ? [] : tell(.failing(error)))
    }

    /// The time to try again has come.
    package mutating func elapsed(_ number: UInt64, at now: Timestamp) -> [Action] {
        guard number == lastNumber, fetching == nil, failure != nil else { return [] }
        return [fetch(at: now)]
    }

    /// The backend refused a token.
    ///
    /// - Parameters:
    ///   - value: The token that the backend refused.
    ///   - now: The time, from which the pause counts.
    ///   - random: Chooses the pause before the next try.
    package mutating func refused<Random: RandomNumberGenerator>(
        _ value: Secret, at now: Timestamp, using random: inout Random
    ) -> [Action] {
        guard let token, token.value == value else { return [] }  // Dropped already.
        self.token = nil
        let isFresh = now.since(token.fetchedAt) < Self.trialPeriod
        refusalCount = isFresh ? refusalCount + 1 : 1
        // The first is dropped and fetched anew at once; then it is not the token that is wrong.
        guard refusalCount > 1 else { return [] }
        return [wait(.refusedIdentity, at: now, using: &random)]
            + tell(.failing(.refusedIdentity))
    }

    /// The backend believed a token.
    package mutating func believed(_ value: Secret) -> [Action] {
        guard refusalCount > 0, let token, token.value == value else { return [] }
        refusalCount = 0
        backoff.reset()
        return tell(.ready)
    }

    /// Somebody else is signed in, or nobody: what is held or under way is of no use.
    package mutating func identityChanged(at now: Timestamp) -> [Action] {
        token = nil
        failure = nil
        fetching = nil
        refusalCount = 0
        backoff.reset()
        return [fetch(at: now)]
    }

    // MARK: Inside

    private mutating func fetch(at now: Timestamp) -> Action {
        lastNumber += 1
        fetching = lastNumber
        backoff.attempted(at: now)
        return .fetch(lastNumber)
    }

    private mutating func wait<Random: RandomNumberGenerator>(
        _ error: HearthError, at now: Timestamp, using random: inout Random
    ) -> Action {
        let delay = backoff.next(at: now, using: &random)
        failure = Failure(error: error, retryAt: now.advanced(by: delay))
        return .wake(lastNumber, after: delay)
    }

    private static func answer(_ waiter: Waiter, _ token: AccessToken) -> Action {
        if let wanted = waiter.user, let owner = token.user, wanted != owner {
            return .fail(waiter.caller, .otherUser(wanted))
        }
        return .answer(waiter.caller, token)
    }

    private mutating func tell(_ state: CredentialsState) -> [Action] {
        guard state != lastTold else { return [] }
        lastTold = state
        return [.tell(state)]
    }
}

extension HearthError {
    /// The backend refuses even a fresh token.
    static let refusedIdentity = HearthError(
        code: .unauthenticated,
        message: "The backend refuses who we are, even with a fresh token. Check that the key or "
            + "user was not disabled or deleted, that it belongs to this project, and that this "
            + "machine's clock is right.")
}
