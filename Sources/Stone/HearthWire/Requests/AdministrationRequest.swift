package import HearthEngine
package import HearthModel

/// An order about the daemon as a whole, or about a database for all its programs.
package enum AdministrationRequest: Hashable, Sendable {
    /// Steers batches that wait or were rejected. Answered by `Event.queueSteered`.
    case steerQueue(QueueOrder<[Mutation]>)
    /// Deletes cache and queue of the database, for all programs. Answered by `Event.done`.
    case clearPersistence
    /// Goes online or offline, for all processes. Answered by `Event.done`.
    case setNetwork(isEnabled: Bool)
    /// Asks or changes who is signed in, for all processes. Answered by `Event.signIn`.
    case authenticate(SignInOrder)
    /// Reads the configuration again. Answered by `Event.reloaded`.
    case reload
}

extension AdministrationRequest {
    /// The request's needs and contents.
    package var traits: RequestTraits {
        switch self {
        case .steerQueue(let steering):
            RequestTraits(
                .everything(.administer), contents: steering.contents, isRepeatable: false)
        case .clearPersistence, .setNetwork: RequestTraits(.everything(.administer), room: .none)
        case .authenticate(.tell): RequestTraits(.open)
        case .authenticate(.signIn): RequestTraits(.everything(.administer), isRepeatable: false)
        case .authenticate(.signOut), .reload: RequestTraits(.everything(.administer))
        }
    }
}

extension QueueOrder<[Mutation]> {
    /// The batches or writes that the order names.
    fileprivate var contents: RequestContents {
        switch self {
        case .hold(let ids), .release(let ids), .cancel(let ids), .drop(let ids),
            .retryDeadLetters(let ids, _), .dropDeadLetters(let ids):
            .batches(ids)
        case .edit(_, let mutations), .editDeadLetter(_, let mutations, _): .mutations(mutations)
        case .retry: .nothing
        }
    }
}
