/// What a client asks of the daemon, by family. Under which number it asks, its frame says.
///
/// Each family has an enum of its requests with a table of what they need (`traits`), and a file of
/// `Coding` with their frames. An engine brings a family of its own.
package enum Request: Hashable, Sendable {
    /// What concerns the session itself.
    case session(SessionRequest)
    /// What operators want to know, and nothing changes by.
    case inquiry(Inquiry)
    /// What administrators order.
    case administration(AdministrationRequest)
    /// What programs ask of a Firestore database.
    case firestore(FirestoreRequest)
}

extension Request {
    /// What the request needs and names.
    package var traits: RequestTraits {
        switch self {
        case .session(let request): request.traits
        case .inquiry(let inquiry): inquiry.traits
        case .administration(let request): request.traits
        case .firestore(let request): request.traits
        }
    }
}
