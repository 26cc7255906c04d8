import HearthProtocol
import HearthRPC

/// One HTTP request to a WebChannel: begins a session, or concerns an open session.
///
///     POST .../channel?VER=8&RID=n                      open
///     POST .../channel?VER=8&RID=n&SID=s&AID=a          send
///     GET  .../channel?VER=8&RID=rpc&SID=s&AID=a&CI=0|1  attach
///     any  .../channel?SID=s&TYPE=terminate             terminate
enum WebChannelRequest: Equatable {
    /// A new session, perhaps with its first maps.
    ///
    /// A client behind a load balancer may ask for the session's name as a header.
    case open(WebChannelForm, headers: String, namesSession: Bool)
    /// Maps for a session.
    case send(String, WebChannelForm, acknowledged: Int?)
    /// A back channel for a session.
    ///
    /// A long poll ends with its first arrays. No back channel is silent for longer than its
    /// patience.
    case attach(String, acknowledged: Int, isLongPoll: Bool, patience: Duration)
    /// The end of a session.
    case terminate(String)

    /// Why a request is no valid request of a WebChannel.
    struct Fault: Error, Equatable {
        let reason: String
    }

    /// The protocol's version that the emulator speaks; requests name this version or a newer one.
    static let version = 8

    /// The method whose stream a path such as `/google.firestore.v1.Firestore/Listen/channel` carries.
    static func method(_ target: HTTPTarget) -> FirestoreMethod? {
        guard target.segments.count == 3, target.segments[2] == "channel",
            let method = FirestoreMethod(path: "/\(target.segments[0])/\(target.segments[1])"),
            method.shape == .bidirectional
        else { return nil }
        return method
    }

    /// Reads a request.
    init(verb: String, _ target: HTTPTarget, body: [UInt8]) throws(Fault) {
        let session = target.parameter("SID")
        if let session, target.parameter("TYPE") == "terminate" {
            self = .terminate(session)
            return
        }
        guard let version = target.parameter("VER").flatMap({ Int($0) }), version >= Self.version
        else { throw Fault(reason: "VER must be \(Self.version).") }
        switch verb {
        case "POST":
            guard target.parameter("RID").flatMap({ Int($0) }) != nil else {
                throw Fault(reason: "RID must be a number.")
            }
            let form: WebChannelForm
            do throws(WebChannelForm.Fault) {
                form = try WebChannelForm(body)
            } catch {
                throw Fault(reason: "The body is no form of maps: \(error).")
            }
            if let session {
                self = .send(session, form, acknowledged: Self.acknowledged(target))
            } else {
                let headers = target.parameter("$httpHeaders") ?? ""
                self = .open(
                    form, headers: "\(headers)\r\n\(form.headers)",
                    namesSession: target.parameter("X-HTTP-Session-Id") != nil)
            }
        case "GET":
            guard let session else { throw Fault(reason: "SID is missing.") }
            guard target.parameter("RID") == "rpc" else { throw Fault(reason: "RID must be rpc.") }
            let isLongPoll = target.parameter("CI") == "1"
            let wish = target.parameter("TO").flatMap { UInt32($0) }
            let patience = wish.map { Duration.milliseconds($0) }
            self = .attach(
                session, acknowledged: Self.acknowledged(target) ?? 0, isLongPoll: isLongPoll,
                patience: min(
                    (isLongPoll ? patience : nil) ?? WebChannelLimits.keepaliveInterval,
                    WebChannelLimits.keepaliveInterval))
        default:
            throw Fault(reason: "A channel knows GET and POST.")
        }
    }

    private static func acknowledged(_ target: HTTPTarget) -> Int? {
        target.parameter("AID").flatMap { Int($0) }
    }
}
