import HearthModel
import HearthRPC

/// What a fault on purpose can befall in the Realtime Database.
///
/// REST's verbs count as the requests of the protocol that do the same.
enum RealtimeMethod: String, CaseIterable, Sendable {
    /// A WebSocket, from its hello to its end.
    case connect = "Realtime.Connect"
    case authenticate = "Realtime.Auth"
    /// A listen, or a stream of REST.
    case listen = "Realtime.Listen"
    case get = "Realtime.Get"
    /// A put, or PUT, POST and DELETE of REST.
    case put = "Realtime.Put"
    case merge = "Realtime.Merge"
    case onDisconnect = "Realtime.OnDisconnect"

    /// The method of a request; `nil` for a request that no fault befalls.
    init?(_ action: RealtimeAction) {
        switch action {
        case .listen: self = .listen
        case .get: self = .get
        case .put: self = .put
        case .merge: self = .merge
        case .onDisconnectPut, .onDisconnectMerge, .onDisconnectCancel: self = .onDisconnect
        case .authenticate: self = .authenticate
        case .unlisten, .unauthenticate, .appCheck, .stats, .unknown: return nil
        }
    }
}

/// Faults on purpose that befall a request or a connection of the Realtime Database.
struct RealtimeFaults: Sendable {
    /// What befalls calls of every service.
    var call: CallFaults
    /// Whether pings stay without an answer.
    var isMute = false
    /// The host that hello sends the client to; `nil` for the client's own.
    var host: String?
}
