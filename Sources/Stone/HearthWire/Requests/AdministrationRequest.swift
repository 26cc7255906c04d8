package import HearthEngine
package import HearthModel

/// An order about the daemon as a whole, or about a database for all its programs.
package enum AdministrationRequest: Hashable, Sendable {
    /// Steers batches that wait or were rejected. Answered by `Event.queueSteered`.
    case steerQueue(QueueOrder<[Mutation]>)
    /// Steers writes to an instance of the Realtime Database, in the same way.
    case steerRealtimeQueue(QueueOrder<RealtimeChange>)
    /// Deletes cache and queue of the database, for all programs. Answered by `Event.done`.
    case clearPersistence
    /// Goes online or offline, for all processes. Answered by `Event.done`.
    case setNetwork(isEnabled: Bool)
    /// Asks or changes who is signed in, for all processes. Answered by `Event.signIn`.
    case authenticate(SignInOrder)
    /// Reads the configuration again. Answered by `Event.reloaded`.
    case reload
    /// Asks for the part of a backup of all databases behind a position, in bytes; 0 begins a
    /// backup. Answered by `Event.backupPart`.
    case backUp(position: Int)
}

extension AdministrationRequest {
    /// The request's needs and contents.
    package var traits: RequestTraits {
        switch self {
        case .steerQueue(let order): Self.steering(order.contents(RequestContents.mutations))
        case .steerRealtimeQueue(let order): Self.steering(order.contents(RequestContents.change))
        case .clearPersistence, .setNetwork: RequestTraits(.everything(.administer), room: .none)
        case .authenticate(.tell): RequestTraits(.open)
        case .authenticate(.signIn): RequestTraits(.everything(.administer), isRepeatable: false)
        case .authenticate(.signOut), .reload: RequestTraits(.everything(.administer))
        case .backUp: RequestTraits(.everything(.administer), isRepeatable: false)
        }
    }
}

extension AdministrationRequest {
    private static func steering(_ contents: RequestContents) -> RequestTraits {
        RequestTraits(.everything(.administer), contents: contents, isRepeatable: false)
    }
}

extension QueueOrder {
    /// The batches that the order names, or what is to be written instead.
    fileprivate func contents(_ edited: (Edit) -> RequestContents) -> RequestContents {
        switch self {
        case .hold(let ids), .release(let ids), .cancel(let ids), .drop(let ids),
            .retryDeadLetters(let ids, _), .dropDeadLetters(let ids):
            .batches(ids)
        case .edit(_, let edit), .editDeadLetter(_, let edit, _): edited(edit)
        case .retry: .nothing
        }
    }
}
