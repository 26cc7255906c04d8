import HearthEngine
import HearthModel

/// What is at hand while an engine takes one input: the store's transaction, and what follows.
///
///     memory + input + store > memory + what the store was told + effects
///
/// Functions that read or write the store take the turn. Functions that only change memory take the
/// turn's effects, so `turnFailed` can also call such functions after the store has failed.
struct Turn {
    /// The transaction.
    let store: any RealtimeTransaction
    /// The effects of the decisions so far.
    var effects: Effects

    /// The time.
    var now: Timestamp { effects.now }

    init(now: Timestamp, store: any RealtimeTransaction) {
        self.store = store
        effects = Effects(now: now)
    }
}

/// What follows when memory moves at a time.
struct Effects {
    /// The time.
    let now: Timestamp
    /// What must be done after the commit, in order.
    var actions: [RealtimeEngine.Action] = []
    /// The queries that lost their last listener, in the state that the store shall remember.
    ///
    /// The turn notes them (`noteEndedQueries`). If the store has failed, nobody does: the store
    /// takes the queries for active until the next start.
    var endedQueries: [TrackedQuery] = []

    init(now: Timestamp) {
        self.now = now
    }
}
