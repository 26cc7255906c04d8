/// A client's request to the daemon, by family. The frame holds the request's number.
///
/// Each family has an enum of its requests with a table of their needs (`traits`), and a file in
/// `Coding` for their frames. An engine brings a family of its own.
package enum Request: Hashable, Sendable {
    /// A request about the session itself.
    case session(SessionRequest)
    /// An operator's question, which changes nothing.
    case inquiry(Inquiry)
    /// An administrator's order.
    case administration(AdministrationRequest)
    /// A program's request to a Firestore database.
    case firestore(FirestoreRequest)
    /// A program's request to an instance of the Realtime Database.
    case realtime(InstanceRequest)
}

extension Request {
    /// The request's needs and contents.
    package var traits: RequestTraits {
        switch self {
        case .session(let request): request.traits
        case .inquiry(let inquiry): inquiry.traits
        case .administration(let request): request.traits
        case .firestore(let request): request.traits
        case .realtime(let request): request.traits
        }
    }
}
