package import HearthModel

/// How the backend answers what a connection asks, and how it acts.
///
/// The words come from the protocol; the shell deals with frames, numbers of requests and JSON.
extension RealtimeBackend {
    /// How a request ended.
    ///
    /// The shell tells the answer after all effects that came before the answer.
    package enum Answer: Hashable, Sendable {
        /// It was done.
        case done
        /// The listen stands.
        case listening([Warning])
        /// What a get found.
        case value(Node)
        /// The connection acts for this caller from now on. The token ends at some second since
        /// 1970; `nil` for a token without an end.
        case authenticated(RealtimeCaller, end: Int64?)
        /// The connection acts for nobody from now on.
        case unauthenticated
        /// It was refused, and nothing was changed.
        case refused(RealtimeRefusal)
    }

    /// What a client is warned of in the answer to a listen.
    package enum Warning: String, Hashable, Sendable {
        /// The order of the query has no index.
        case noIndex = "no_index"
    }

    /// What the shell must do, in order, before it tells an answer.
    package enum Effect: Hashable, Sendable {
        /// Write to disk, before anything after it is done.
        case save(RealtimeNamespace, Save)
        /// Tell all of these the same change: it is encoded once.
        case push(PushedChange, to: [RealtimeListener])
        /// `c`: tell a connection that a listen of it has ended.
        case revoke(RealtimePath, QueryParameters, from: RealtimeListener)
    }

    /// What the disk keeps of one namespace.
    package enum Save: Hashable, Sendable {
        /// The new content at and below a place, or a place's new priority; nothing else has
        /// changed.
        ///
        /// A write that removes its parents, or replaces a leaf above, therefore names the highest
        /// removed parent or the leaf.
        case node(WritePath, Node)
        /// The text of the rules.
        case rules(String)
        /// The settings.
        case settings(NamespaceSettings)
    }
}

/// A change of the tree as listeners are told it. Everything in it is resolved.
///
/// A wire frame differs between its listeners by their tags alone.
package enum PushedChange: Hashable, Sendable {
    /// `d`: the new content of one place.
    case overwrite(WritePath, Node)
    /// `m`: the new content of several places below one place; nothing else there has changed.
    case merge(RealtimePath, [RealtimeTold])
    /// `rm`: the new content of whole ranges of the client's copy.
    case ranges(RealtimePath, [RangeMerge])

    /// The place that the change names: all told content lies there or below.
    package var path: RealtimePath {
        switch self {
        case .overwrite(let place, _): place.path
        case .merge(let path, _), .ranges(let path, _): path
        }
    }
}

/// Who is told of a change.
package struct RealtimeListener: Hashable, Sendable {
    /// The connection.
    package let connection: RealtimeConnectionID
    /// The number of the filtered query for which it is told; `nil` for all that is at the place.
    package let tag: Int?

    /// Names a connection, and a query of it.
    package init(_ connection: RealtimeConnectionID, tag: Int? = nil) {
        self.connection = connection
        self.tag = tag
    }
}

/// Names a connection for as long as the program runs. A stream of REST is one too.
package struct RealtimeConnectionID: Hashable, Sendable {
    /// The number that the shell chose. Never used twice.
    package let rawValue: UInt64

    /// Names a connection by a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
