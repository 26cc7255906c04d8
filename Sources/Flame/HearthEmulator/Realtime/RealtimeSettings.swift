import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOHTTP1

/// Answers requests for rules, settings and reports of the Realtime Database's trees.
///
/// Only an admin may read or change rules and settings; every caller may read the reports.
struct RealtimeSettings {
    let host: RealtimeHost
    let bodies: BodyQueue

    /// Answers a request for `/.settings/NAME.json`.
    ///
    /// A value that the setting cannot have is refused in the answer.
    ///
    /// - Throws: `unauthenticated` for a caller who is no admin, `notFound` for an unknown setting,
    ///   `invalidArgument` for another method than GET and PUT.
    func answer(
        _ name: String, _ address: RealtimeAddress, _ exchange: HTTPExchange
    ) throws(HearthError) {
        try Self.requireAdmin(address)
        let isWrite = exchange.head.method == .PUT
        guard isWrite || exchange.head.method == .GET else { throw Self.unknownMethod }
        switch name {
        case "rules" where isWrite: putRules(address, exchange)
        case "rules": exchange.send(.realtimeText(rules(address)))
        case "defaultWriteSizeLimit":
            change(name, address, exchange) { settings, value in
                guard let limit = value.string.flatMap(NamespaceSettings.WriteSizeLimit.init) else {
                    return false
                }
                settings.defaultWriteSizeLimit = limit
                return true
            }
        case "strictTriggerValidation":
            change(name, address, exchange) { settings, value in
                guard case .boolean(let isStrict) = value else { return false }
                settings.strictTriggerValidation = isStrict
                return true
            }
        default: throw Self.unknown(name, Self.settings)
        }
    }

    /// Answers a request for `/.inspect/NAME`.
    ///
    /// - Throws: `notFound` for an unknown name, or for another method than GET.
    func inspect(
        _ name: String, _ address: RealtimeAddress, _ exchange: HTTPExchange
    ) throws(HearthError) {
        guard exchange.head.method == .GET else { throw Self.unknown(name, Self.reports) }
        switch name {
        case "databases.json": exchange.send(.realtimeJSON(namespaces))
        case "coverage.json":
            exchange.send(.realtimeJSON(host.ruleReport(of: address.namespace)))
        case "coverage": exchange.send(.page(host.rulePage(of: address.namespace)))
        default: throw Self.unknown(name, Self.reports)
        }
    }

    private var namespaces: JSONValue {
        let names = host.picture.namespaceNames.map { namespace in
            JSONValue.object([.init(name: "name", value: .string(namespace.name))])
        }
        return .array(names)
    }

    private func rules(_ address: RealtimeAddress) -> String {
        let isStrict = address.parameters.contains { $0.name == "format" && $0.value == "strict" }
        let backend = host.picture
        return isStrict
            ? backend.strictRules(of: address.namespace) : backend.rules(of: address.namespace)
    }

    private func putRules(_ address: RealtimeAddress, _ exchange: HTTPExchange) {
        let isDry = address.parameters.contains { $0.name == "dryRun" && $0.value == "true" }
        bodies.read(exchange) { body in
            RulesBody(body, isDry: isDry)
        } then: { exchange, body in
            switch body {
            case .refused(let reply): exchange.send(reply)
            case .checked: exchange.send(.realtimeJSON(Self.done))
            case .rules(let text):
                host.setRules(text, of: address.namespace, then: replier(Self.done, exchange))
            }
        }
    }

    private func change(
        _ name: String, _ address: RealtimeAddress, _ exchange: HTTPExchange,
        _ change: @escaping (inout NamespaceSettings, JSONValue) -> Bool
    ) {
        let settings = host.picture.settings(of: address.namespace)
        guard exchange.head.method == .PUT else {
            return exchange.send(.realtimeJSON(Self.value(of: name, in: settings)))
        }
        bodies.read(exchange) { body in
            (try? body.unpacked()).flatMap { try? JSONReader.read($0) }
        } then: { exchange, value in
            var settings = settings
            guard let value, change(&settings, value) else {
                return exchange.send(.realtimeError(.argument("\(name) cannot be that.")))
            }
            host.changeSettings(
                of: address.namespace, { _ = change(&$0, value) }, then: replier(value, exchange))
        }
    }

    private func replier(
        _ value: JSONValue, _ exchange: HTTPExchange
    ) -> @Sendable (HearthError?) -> Void {
        let reply = exchange.replier()
        return { error in reply(error.map { HTTPReply.realtimeError($0) } ?? .realtimeJSON(value)) }
    }

    private static func value(of name: String, in settings: NamespaceSettings) -> JSONValue {
        name == "strictTriggerValidation"
            ? .boolean(settings.strictTriggerValidation)
            : .string(settings.defaultWriteSizeLimit.rawValue)
    }

    private static func requireAdmin(_ address: RealtimeAddress) throws(HearthError) {
        guard address.caller == .admin else {
            throw HearthError(code: .unauthenticated, message: "Permission denied")
        }
    }

    private static let done = JSONValue.object([.init(name: "status", value: .string("ok"))])
    private static let settings =
        "GET and PUT serve rules, defaultWriteSizeLimit and strictTriggerValidation below /.settings."
    private static let reports =
        "GET serves databases.json, coverage.json and coverage below /.inspect."
    private static func unknown(_ name: String, _ help: String) -> HearthError {
        HearthError(code: .notFound, message: "Not found: \"\(name.prefix(100))\". \(help)")
    }
    private static let unknownMethod = HearthError(
        code: .invalidArgument, message: "Settings are read by GET and written by PUT.")
}

/// What the body of new rules says, read on any thread.
private enum RulesBody: Sendable {
    /// The text of the rules, which has not been checked.
    case rules(String)
    /// Rules that are right, and were sent to be checked alone.
    case checked
    /// The answer for rules that cannot be read, or are wrong.
    case refused(HTTPReply)

    init(_ body: HTTPBody, isDry: Bool) {
        do throws(HTTPExchange.BodyFault) {
            let bytes = try body.unpacked()
            guard let text = String(validating: bytes, as: UTF8.self) else {
                self = .refused(.realtimeError(.argument("1:1: The rules are no UTF-8.\n")))
                return
            }
            self = isDry ? Self.check(text) : .rules(text)
        } catch {
            self = .refused(Self.reply(to: error, body))
        }
    }

    private static func check(_ text: String) -> RulesBody {
        do throws(HearthError) {
            try RealtimeHost.checkRules(text)
            return .checked
        } catch {
            return .refused(.realtimeError(error))
        }
    }

    private static func reply(to fault: HTTPExchange.BodyFault, _ body: HTTPBody) -> HTTPReply {
        if fault == .tooLarge {
            return .realtimeError(.argument(body.sizeRefusal), status: 413)
        }
        return .realtimeError(
            .argument(
                "The rules are packed in a way that cannot be read. Pack the body by one of "
                    + "\(ContentCoding.names), or send the rules as they are."))
    }
}

extension HTTPReply {
    fileprivate static func realtimeJSON(_ value: JSONValue) -> HTTPReply {
        HTTPReply(status: 200, contentType: realtimeType, body: JSONWriter.bytes(of: value))
    }

    fileprivate static func realtimeText(_ text: String) -> HTTPReply {
        HTTPReply(status: 200, contentType: realtimeType, body: Array(text.utf8))
    }
}
