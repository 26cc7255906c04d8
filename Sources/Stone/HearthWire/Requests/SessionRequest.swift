/// A request about the session itself, for every kind of database.
package enum SessionRequest: Hashable, Sendable {
    /// Opens the session. Answered by `Event.welcome`.
    case hello(Hello)
    /// Asks for a sign of life. Answered by `Event.done`.
    case ping
    /// Ends the subscription of the same number. Not answered.
    case unlisten
    /// Asks for the memory file of hot documents. Answered by `Event.sharedReads` whenever the
    /// session gets or loses a file.
    case shareReads
    /// Asks for the daemon's state. Answered by `Event.report` again and again, until `unlisten` under
    /// the same number.
    case listenToStatus(StatusScope)
}

extension SessionRequest {
    /// The request's needs and contents.
    package var traits: RequestTraits {
        switch self {
        case .hello, .unlisten: RequestTraits(.open, room: .none, number: .begun)
        case .ping, .shareReads: RequestTraits(.open, room: .none)
        case .listenToStatus: RequestTraits(.open, room: .listener)
        }
    }
}
