package import HearthModel

/// What a connection may ask of the backend, and how the backend answers and acts.
///
/// The words come from the protocol; the shell deals with frames, numbers of requests and JSON.
extension RealtimeBackend {
    /// One request of a connection.
    package enum Request: Hashable, Sendable {
        /// `q`: tell what is at a place, and every change of it.
        case listen(Listen)
        /// `n`: stop telling. Without such a listen the request does nothing.
        case unlisten(RealtimePath, QueryParameters, tag: Int?)
        /// `g`: tell once what is at a place.
        case get(RealtimePath, QueryParameters)
        /// `p`: replace what is at a place.
        ///
        /// `hash` is the V1 hash of the content that must be at the place: empty for no content,
        /// `nil` for no condition.
        case put(WritePath, UnresolvedNode, hash: String?)
        /// `m`: replace the content of several places below one place, together.
        case merge(RealtimePath, [WrittenChild])
        /// `o`: a put that is made when the connection ends.
        case onDisconnectPut(WritePath, UnresolvedNode)
        /// `om`: a merge that is made when the connection ends.
        case onDisconnectMerge(RealtimePath, [WrittenChild])
        /// `oc`: forget the writes for the connection's end at a place and below.
        case onDisconnectCancel(WritePath)
        /// `auth`, `gauth`, `unauth`: the caller from now on. The rules judge the listens again.
        case authenticate(RealtimeCaller)
    }

    /// A wish to be told what is at a place, and every change of it.
    package struct Listen: Hashable, Sendable {
        /// Where.
        package let path: RealtimePath
        /// Which children, in which order.
        package let query: QueryParameters
        /// The number under which the client knows a filtered query.
        package let tag: Int?
        /// The V1 hash of the client's copy, empty for no content. `nil`: the client must be told
        /// in any case.
        package var hash: String?
        /// The hashes of the ranges of the client's copy, if the client sent them.
        package var ranges: CompoundHash?
        /// Whether a query whose order has no index is refused, as REST does, or answered with a
        /// warning.
        package var demandsIndex = false

        /// A listen of a client that holds no copy.
        package init(_ path: RealtimePath, _ query: QueryParameters, tag: Int? = nil) {
            self.path = path
            self.query = query
            self.tag = tag
        }
    }

    /// One place of a merge.
    package struct WrittenChild: Hashable, Sendable {
        /// The way from where the merge is made. Never empty, but for a priority.
        package let place: WritePath
        /// What is to be there.
        package let node: UnresolvedNode

        /// Says what is to be where.
        package init(_ place: WritePath, _ node: UnresolvedNode) {
            self.place = place
            self.node = node
        }
    }

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
    case merge(RealtimePath, [PushedChild])
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

/// One place of a merge that is told.
package struct PushedChild: Hashable, Sendable {
    /// The way from where the merge was made.
    package let place: WritePath
    /// What is there now; empty if nothing is.
    package let node: Node

    /// Says what is where.
    package init(_ place: WritePath, _ node: Node) {
        self.place = place
        self.node = node
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
