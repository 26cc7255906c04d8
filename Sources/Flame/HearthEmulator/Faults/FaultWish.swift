import HearthBackend
import HearthModel
import HearthProtocol

/// Faults in the form in which a test sends them.
///
/// Shape: `{"faults": [{"method": "Commit", "kind": "delay", "milliseconds": 50, "calls": 3}],
/// "clockStepMilliseconds": 5000}`.
///
/// Without `method` the fault befalls every method; without `calls`, one call. Kinds: `delay` and
/// `slowStream` with `milliseconds`, `refuse` with `code` and `message`, `loseAnswer`, `cutStream`
/// with `messages`; `applyLate` with `milliseconds`, only for the method `Write`. `RealtimeMethod`
/// has the methods of the Realtime Database, where a `code` may be a word of its protocol, such as
/// `datastale`. Only `Realtime.Connect` has `noPong`, and `foreignHost` with `host`.
struct FaultWish: Equatable {
    let faults: [Fault]
    /// How far to move the clock from the system's time; `nil` to leave the clock.
    let clockStep: Duration?

    /// Takes the parts.
    init(faults: [Fault], clockStep: Duration?) {
        self.faults = faults
        self.clockStep = clockStep
    }

    /// Reads a wish.
    ///
    /// - Throws: `invalidArgument`; the message says which member is wrong.
    init(json: JSONValue) throws(HearthError) {
        guard let members = json.members else { throw .argument("Faults are an object.") }
        var faults: [Fault] = []
        var clockStep: Duration?
        for member in members {
            switch member.name {
            case "faults":
                guard let elements = member.value.elements else {
                    throw .argument("\"faults\" is an array.")
                }
                for element in elements { faults.append(try Self.fault(element)) }
            case "clockStepMilliseconds":
                guard let step = member.value.integer,
                    step.magnitude <= Self.clockStepMax.magnitude
                else {
                    throw .argument(
                        "\"clockStepMilliseconds\" is a whole number up to \(Self.clockStepMax).")
                }
                clockStep = .milliseconds(step)
            default:
                throw .argument("\"\(member.name)\" is neither faults nor a step of the clock.")
            }
        }
        self.init(faults: faults, clockStep: clockStep)
    }

    /// The largest step in milliseconds: a hundred years.
    private static let clockStepMax: Int64 = 100 * 366 * 86_400_000

    /// The wish as JSON that `init(json:)` can read again.
    var json: [UInt8] {
        var text = JSONText()
        text.beginObject()
        text.name("faults")
        text.beginArray()
        for fault in faults { Self.write(fault, to: &text) }
        text.endArray()
        text.name("clockStepMilliseconds")
        text.integer(Self.milliseconds(clockStep ?? .zero))
        text.endObject()
        return text.bytes
    }

    private static func fault(_ json: JSONValue) throws(HearthError) -> Fault {
        for member in json.members ?? [] {
            guard
                [
                    "method", "kind", "calls", "milliseconds", "messages", "code", "message",
                    "host",
                ].contains(member.name)
            else { throw .argument("A fault has no \"\(member.name)\".") }
        }
        let method = json["method"]?.string
        if let method, FirestoreMethod(rawValue: method) == nil,
            RealtimeMethod(rawValue: method) == nil
        {
            throw .argument(
                "\"\(method)\" is no method; write it as in Commit or Realtime.Put.")
        }
        let calls = json["calls"]?.integer ?? 1
        guard (1...1_000_000_000).contains(calls) else {
            throw .argument("\"calls\" is a whole number of one or more.")
        }
        let kind = try Self.kind(json)
        if let owner = kind.owner, method != owner {
            throw .argument(
                "\"\(json["kind"]?.string ?? "")\" is a fault of the method \(owner).")
        }
        return Fault(method: method, kind, callCount: Int(calls))
    }

    private static func kind(_ json: JSONValue) throws(HearthError) -> Fault.Kind {
        switch json["kind"]?.string {
        case "delay": return .delay(try time(json))
        case "slowStream": return .slowStream(try time(json))
        case "loseAnswer": return .loseAnswer
        case "applyLate": return .applyLate(try time(json))
        case "cutStream":
            guard let count = json["messages"]?.integer, (0...Int64(Int32.max)).contains(count)
            else { throw .argument("A cut stream needs \"messages\", a whole number.") }
            return .cutStream(afterMessageCount: Int(count))
        case "refuse":
            return .refuse(try refusal(json))
        case "noPong": return .noPong
        case "foreignHost":
            guard let host = json["host"]?.string, !host.isEmpty else {
                throw .argument("A foreign host needs \"host\", a name.")
            }
            return .foreignHost(host)
        default:
            throw .argument(
                "\"kind\" is delay, refuse, loseAnswer, applyLate, cutStream, slowStream, noPong "
                    + "or foreignHost.")
        }
    }

    private static func refusal(_ json: JSONValue) throws(HearthError) -> HearthError {
        let name = json["code"]?.string ?? ""
        let message = json["message"]?.string
        if let error = RealtimeRefusal.error(named: name) {
            return HearthError(code: error.code, message: message ?? error.message)
        }
        guard let code = StatusCode.allCases.first(where: { utf8Equals($0.name, name) }),
            code != .ok
        else { throw .argument("A refusal needs \"code\", such as UNAVAILABLE or datastale.") }
        return HearthError(code: code, message: message ?? "Refused, as the test wished.")
    }

    private static func time(_ json: JSONValue) throws(HearthError) -> Duration {
        guard let count = json["milliseconds"]?.integer, (0...86_400_000).contains(count) else {
            throw .argument("\"milliseconds\" is a whole number, of one day at most.")
        }
        return .milliseconds(count)
    }

    private static func write(_ fault: Fault, to text: inout JSONText) {
        text.beginObject()
        if let method = fault.method {
            text.name("method")
            text.string(method)
        }
        text.name("kind")
        switch fault.kind {
        case .delay(let duration):
            text.string("delay")
            text.name("milliseconds")
            text.integer(milliseconds(duration))
        case .slowStream(let duration):
            text.string("slowStream")
            text.name("milliseconds")
            text.integer(milliseconds(duration))
        case .loseAnswer:
            text.string("loseAnswer")
        case .applyLate(let duration):
            text.string("applyLate")
            text.name("milliseconds")
            text.integer(milliseconds(duration))
        case .cutStream(let count):
            text.string("cutStream")
            text.name("messages")
            text.integer(Int64(count))
        case .refuse(let error):
            text.string("refuse")
            text.name("code")
            text.string(error.code.name)
            text.name("message")
            text.string(error.message)
        case .noPong:
            text.string("noPong")
        case .foreignHost(let host):
            text.string("foreignHost")
            text.name("host")
            text.string(host)
        }
        text.name("calls")
        text.integer(Int64(fault.callCount))
        text.endObject()
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let parts = duration.components
        return parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000
    }
}

extension Fault.Kind {
    /// The only method that can have such a fault; `nil` if all can.
    fileprivate var owner: String? {
        switch self {
        case .applyLate: FirestoreMethod.write.rawValue
        case .noPong, .foreignHost: RealtimeMethod.connect.rawValue
        case .delay, .refuse, .loseAnswer, .cutStream, .slowStream: nil
        }
    }
}
