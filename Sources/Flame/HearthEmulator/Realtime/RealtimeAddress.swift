import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOHTTP1

/// The tree, the place and the caller that a request of HTTP/1.1 to the Realtime Database names.
///
///     /rooms/hall.json?ns=demo        data; the root is /.json
///     /.settings/rules.json?ns=demo   settings
///     /.inspect/databases.json        what there is
///     /.ws?ns=demo                    the protocol
struct RealtimeAddress {
    /// The kinds of things that a request can ask for.
    enum Subject: Equatable {
        /// Data at a place.
        case data(WritePath)
        /// A setting, such as `rules`.
        case setting(String)
        /// A report on the emulator, such as `databases.json`, or `coverage` for a page.
        case inspection(String)
    }

    /// The data, setting or report that the request asks for.
    let subject: Subject
    /// The tree that the request names.
    let namespace: RealtimeNamespace
    /// The caller, by the request's token.
    let caller: RealtimeCaller
    /// All parameters.
    let parameters: [HTTPTarget.Parameter]

    /// When the caller's token ends, in seconds since 1970; `nil` if it does not.
    ///
    /// Reads the token again, which only a stream has to.
    var tokenEnd: Int64? {
        parameters.first { $0.name == "auth" }.flatMap { RealtimeToken.end(of: $0.value) }
    }

    /// Whether a target belongs to the Realtime Database, on a port that Firestore shares.
    static func claims(_ target: HTTPTarget) -> Bool {
        guard let first = target.segments.first, let last = target.segments.last else {
            return false
        }
        if [".ws", ".lp", ".settings", ".inspect"].contains(first) { return true }
        let isFirestores =
            target.segments.count > 1
            && (first == "emulator"
                || ["v1", "v1beta1"].contains(first)
                    && target.segments[1] == "projects")
        return !isFirestores && last.utf8HasSuffix(".json")
    }

    /// Reads a request.
    ///
    /// - Parameter now: When the request came, to tell whether a token has ended.
    /// - Throws: `notFound` for a path without `.json`, `invalidArgument` for a path or a tree's
    ///   name that is not allowed, `unauthenticated` for a token that has ended or cannot be read.
    init(_ target: HTTPTarget, _ headers: HTTPHeaders, at now: Timestamp) throws(HearthError) {
        parameters = target.parameters
        namespace = try Self.namespace(target, headers)
        caller = try RealtimeCaller(target, headers, at: now)
        subject = try Self.subject(target.segments)
    }

    private static func subject(_ segments: [String]) throws(HearthError) -> Subject {
        if segments.first == ".inspect" {
            return .inspection(segments.dropFirst().joined(separator: "/"))
        }
        guard let last = segments.last, last.utf8HasSuffix(".json"),
            let end = String(last.utf8.dropLast(".json".utf8.count))
        else {
            throw HearthError(
                code: .notFound, message: "append .json to your request URI to use the REST API")
        }
        let names = segments.dropLast() + [end]
        if names.first == ".settings" {
            return .setting(names.dropFirst().joined(separator: "/"))
        }
        guard let place = WritePath(names.joined(separator: "/")) else {
            throw .argument("Invalid path: Invalid token in path")
        }
        guard place.path.depth <= RealtimePath.depthMax else {
            throw .argument("Invalid path: a path has at most \(RealtimePath.depthMax) keys")
        }
        return .data(place)
    }

    /// The tree of the parameter `ns`, else of the host's first label.
    ///
    /// The label counts only if the host is no IP address and has three labels or more, as the
    /// hosts of the hosted service have.
    ///
    /// - Throws: `invalidArgument` if the request names no tree, or the name is not allowed.
    static func namespace(
        _ target: HTTPTarget, _ headers: HTTPHeaders
    ) throws(HearthError) -> RealtimeNamespace {
        let host = headers.first(name: "host") ?? ""
        let labels = host.prefix { $0 != ":" }.split(separator: ".")
        let isAddress = labels.allSatisfy { $0.allSatisfy(\.isNumber) }
        let label = labels.count >= 3 && !isAddress ? labels.first.map(String.init) : nil
        guard let name = target.parameter("ns") ?? label else {
            throw .argument("Name the database: ?ns=NAME")
        }
        guard let namespace = RealtimeNamespace(name) else {
            throw .argument("\"\(name.prefix(100))\" is no name of a database")
        }
        return namespace
    }
}
