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

    /// Answers a request for `/.settings/NAME.json`.
    ///
    /// - Throws: `unauthenticated` for a caller who is no admin, `notFound` for an unknown setting,
    ///   `invalidArgument` for another method than GET and PUT or for a value that the setting
    ///   cannot have.
    func answer(
        _ name: String, _ address: RealtimeAddress, _ exchange: HTTPExchange
    ) throws(HearthError) {
        try Self.requireAdmin(address)
        let isWrite = exchange.head.method == .PUT
        guard isWrite || exchange.head.method == .GET else { throw Self.unknownMethod }
        switch name {
        case "rules" where isWrite: try putRules(address, exchange)
        case "rules": exchange.send(.realtimeText(rules(address)))
        case "defaultWriteSizeLimit":
            try change(name, address, exchange) { settings, value in
                guard let limit = value.string.flatMap(NamespaceSettings.WriteSizeLimit.init) else {
                    return false
                }
                settings.defaultWriteSizeLimit = limit
                return true
            }
        case "strictTriggerValidation":
            try change(name, address, exchange) { settings, value in
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

    private func putRules(
        _ address: RealtimeAddress, _ exchange: HTTPExchange
    ) throws(HearthError) {
        let body: [UInt8]
        do throws(HTTPExchange.BodyFault) {
            body = try exchange.unpackedBody()
        } catch {
            if error == .tooLarge {
                let refusal = HearthError.argument(exchange.body.sizeRefusal)
                return exchange.send(.realtimeError(refusal, status: 413))
            }
            throw .argument(
                "The rules are packed in a way that cannot be read. Pack the body by one of "
                    + "\(ContentCoding.names), or send the rules as they are.")
        }
        guard let text = String(validating: body, as: UTF8.self) else {
            throw .argument("1:1: The rules are no UTF-8.\n")
        }
        let isDry = address.parameters.contains { $0.name == "dryRun" && $0.value == "true" }
        if isDry {
            try RealtimeHost.checkRules(text)
            return exchange.send(.realtimeJSON(Self.done))
        }
        host.setRules(text, of: address.namespace, then: replier(Self.done, exchange))
    }

    private func change(
        _ name: String, _ address: RealtimeAddress, _ exchange: HTTPExchange,
        _ body: @escaping (inout NamespaceSettings, JSONValue) -> Bool
    ) throws(HearthError) {
        var settings = host.picture.settings(of: address.namespace)
        guard exchange.head.method == .PUT else {
            return exchange.send(.realtimeJSON(Self.value(of: name, in: settings)))
        }
        guard let bytes = try? exchange.unpackedBody(), let value = try? JSONReader.read(bytes),
            body(&settings, value)
        else { throw .argument("\(name) cannot be that.") }
        host.changeSettings(
            of: address.namespace, { _ = body(&$0, value) }, then: replier(value, exchange))
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

extension HTTPReply {
    fileprivate static func realtimeJSON(_ value: JSONValue) -> HTTPReply {
        HTTPReply(status: 200, contentType: realtimeType, body: JSONWriter.bytes(of: value))
    }

    fileprivate static func realtimeText(_ text: String) -> HTTPReply {
        HTTPReply(status: 200, contentType: realtimeType, body: Array(text.utf8))
    }
}
