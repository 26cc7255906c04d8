import HearthBackend
import HearthModel
import HearthRPC
import NIOHTTP1

/// What a request of HTTP/1.1 asks of the Realtime Database: of which tree, where, and by whom.
///
///     /rooms/hall.json?ns=demo        data; the root is /.json
///     /.settings/rules.json?ns=demo   settings
///     /.inspect/databases.json        what there is
///     /.ws?ns=demo                    the protocol
struct RealtimeAddress {
    /// What is asked for.
    enum Subject: Equatable {
        /// Data at a place.
        case data(WritePath)
        /// A setting, such as `rules`.
        case setting(String)
        /// Something to look into, such as `databases.json`, or `coverage` for a page.
        case inspection(String)
    }

    /// What is asked for.
    let subject: Subject
    /// Of which tree.
    let namespace: RealtimeNamespace
    /// Who asks.
    let caller: RealtimeCaller
    /// All parameters.
    let parameters: [HTTPTarget.Parameter]

    /// Whether a target is one of the Realtime Database on a port that Firestore shares.
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
    /// - Parameter now: When it came, for tokens that have ended.
    /// - Throws: `notFound` for what is no address, `invalidArgument` for a path or a tree that cannot be,
    ///   `unauthenticated` for a token that does not count.
    init(_ target: HTTPTarget, _ headers: HTTPHeaders, at now: Timestamp) throws(HearthError) {
        parameters = target.parameters
        namespace = try Self.namespace(target, headers)
        caller = try RealtimeToken.caller(target, headers, at: now)
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
        guard let place = WritePath(names.joined(separator: "/")),
            place.path.depth <= RealtimePath.depthMax
        else {
            throw .argument(
                "Invalid path: a path holds no \".\", \"#\", \"$\", \"[\" or \"]\", and at most "
                    + "\(RealtimePath.depthMax) keys")
        }
        return .data(place)
    }

    /// `ns`, else the first label of a host with three, as the hosted service has it.
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
