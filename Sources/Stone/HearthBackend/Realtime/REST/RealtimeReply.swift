package import HearthModel

/// What the answer to a call of REST is made of.
package struct RealtimeReply: Hashable, Sendable {
    /// The number of the answer's status.
    package enum Status: Int, Hashable, Sendable {
        case ok = 200
        case noContent = 204
        case notModified = 304
        case badRequest = 400
        case unauthorized = 401
        case preconditionFailed = 412
        case serviceUnavailable = 503
    }

    /// What the body holds.
    package enum Body: Hashable, Sendable {
        /// Nothing.
        case none
        /// A tree, with its priorities or without.
        case node(Node, withPriorities: Bool)
        /// The names of children, each with `true`.
        case keys([ChildKey])
        /// The content that a merge wrote, by the merge's own paths and in its order, with priorities
        /// or without.
        case children([RealtimeTold], withPriorities: Bool)
        /// The name that a push made.
        case name(ChildKey)
        /// An error, for people.
        case error(String)
    }

    /// The status.
    package let status: Status
    /// The body.
    package let body: Body
    /// The `ETag`, if it was asked for.
    package let tag: String?

    /// What absent data has for a hash.
    package static let absentTag = "null_etag"

    init(_ status: Status, _ body: Body, tag: String? = nil) {
        self.status = status
        self.body = body
        self.tag = tag
    }

    /// Tells a refusal.
    package init(_ refusal: RealtimeRefusal) {
        let status: Status =
            switch refusal.status {
            case .permissionDenied, .expiredToken, .invalidToken: .unauthorized
            case .dataStale: .preconditionFailed
            case .tooBig, .failed: .badRequest
            case .unavailable: .serviceUnavailable
            }
        self.init(status, .error(refusal.reason))
    }

    /// The hash of a tree, as REST names it.
    static func tag(of node: Node) -> String {
        node.isEmpty ? absentTag : NodeHash.hash(of: node)
    }
}
