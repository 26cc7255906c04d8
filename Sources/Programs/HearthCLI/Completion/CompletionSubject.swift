import ArgumentParser

/// What is meant at a place of the command line, where only the daemon knows what there is.
///
/// ArgumentParser knows which argument is at the cursor and asks the argument's closure. The closure
/// gives the subject's name alone, and `CompletionDesk` asks the daemon: closures that wait would
/// make each reading of a command line asynchronous.
enum CompletionSubject: String, CaseIterable {
    /// A document's path.
    case document
    /// A collection's path.
    case collection
    /// The path of a document or a collection.
    case path
    /// A place of the Realtime Database.
    case place
    /// A place of the Realtime Database, first those that are kept for good.
    case keptPlace
    /// A pin's name.
    case pin
    /// A Firestore database, as `--database` takes it.
    case database
    /// An instance of the Realtime Database, as `--instance` takes it.
    case instance
    /// The number of a batch that waits; in a command of dead letters, of a dead letter.
    case batch
    /// A condition for batches, for `--where`, such as `unit == cron.service`.
    case batchCondition

    /// For an argument of a command.
    var kind: CompletionKind {
        let name = rawValue
        return .custom { _, _, _ in [name] }
    }
}
