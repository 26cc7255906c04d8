/// Whether a listening socket accepts clients, and what operators are told of that. Decides; the
/// thread of the socket tries and tells.
///
///     well --failed--> failing --a minute without a failure--> well
///
/// At the limit of descriptors a client gets in whenever another one leaves. So a single success does
/// not end the trouble, and clients that come and go cannot fill the journal.
struct AcceptTrouble: Sendable {
    /// How long nothing more is told of a socket that fails, and how long no attempt may fail
    /// before the trouble is over.
    static let period = Duration.seconds(60)

    /// What operators should know.
    enum News: Equatable, Sendable {
        /// Clients cannot come in. Told at the first failure, and once in a period while it lasts.
        case failing(AcceptFailure)
        /// Clients are accepted again.
        case over
    }

    private enum State: Sendable {
        case well
        case failing(toldAt: Duration, failedAt: Duration)
    }

    private var state = State.well

    /// Whether the socket fails, as far as is known.
    var isFailing: Bool { patience != nil }

    /// How long the thread may wait for a client before it tries to accept one anyway, to find out
    /// that the trouble is over; `nil` for as long as nobody comes.
    var patience: Duration? {
        switch state {
        case .well: nil
        case .failing: Self.period
        }
    }

    /// The thread has accepted clients until nobody more had come, or until it failed.
    ///
    /// - Parameters:
    ///   - failure: Why the thread failed; `nil` if it did not.
    ///   - now: The time, by a clock that only runs forward.
    /// - Returns: What is to be told; `nil` if nothing is.
    mutating func tried(_ failure: AcceptFailure?, at now: Duration) -> News? {
        switch (state, failure) {
        case (.well, nil):
            return nil
        case (.well, let failure?):
            state = .failing(toldAt: now, failedAt: now)
            return .failing(failure)
        case (.failing(let toldAt, _), let failure?):
            let isDue = now - toldAt >= Self.period
            state = .failing(toldAt: isDue ? now : toldAt, failedAt: now)
            return isDue ? .failing(failure) : nil
        case (.failing(_, let failedAt), nil):
            guard now - failedAt >= Self.period else { return nil }
            state = .well
            return .over
        }
    }
}
