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
    let store: any FirestoreTransaction
    /// The effects of the decisions so far.
    var effects: Effects
    /// The survey that has come back in this turn, while the turn serves the inputs that waited for
    /// the survey.
    var report: Surveys.Report?
    /// How many batches were given up because their conditions cannot hold.
    var givenUpCount = 0

    /// The time.
    var now: Timestamp { effects.now }

    init(now: Timestamp, store: any FirestoreTransaction) {
        self.store = store
        effects = Effects(now: now)
    }
}

/// What follows when memory moves at a time.
struct Effects {
    /// The time.
    let now: Timestamp
    /// What must be done after the commit, in order.
    var actions: [FirestoreEngine.Action] = []
    /// Whether somebody was told of a view.
    var hasTold = false
    /// What went out of use, for the store to note.
    ///
    /// The turn notes it (`noteEndings`). If the store has failed, nobody does: the store then
    /// thinks the targets and documents less lately used than they were.
    var endings: [LocalStore.Ending] = []

    init(now: Timestamp) {
        self.now = now
    }
}
