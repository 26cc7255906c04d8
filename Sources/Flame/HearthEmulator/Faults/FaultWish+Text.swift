import HearthModel
import HearthProtocol

extension FaultWish {
    /// Reads a flag's fault: `METHOD:KIND` or `METHOD:KIND=VALUE`.
    ///
    /// `*COUNT` behind the fault is for several calls.
    ///
    ///     Commit:delay=200ms*3   any:refuse=UNAVAILABLE   Commit:loseAnswer
    ///     Listen:cutStream=5     RunQuery:slowStream=50ms
    ///     Realtime.Put:refuse=datastale   Realtime.Connect:foreignHost=other.example
    ///
    /// - Throws: `invalidArgument`; the message says which part of the text is wrong.
    static func fault(_ text: String) throws(HearthError) -> Fault {
        let halves = text.split(separator: ":", maxSplits: 1)
        guard halves.count == 2, let method = halves.first else {
            throw .argument("\"\(text)\" is no fault; write METHOD:KIND=VALUE*COUNT.")
        }
        var members: [JSONValue.Member] = []
        if method != "any" { members.append(.init(name: "method", value: .string("\(method)"))) }
        var rest = halves[1]
        if let star = rest.lastIndex(of: "*") {
            guard let count = Int64(rest[rest.index(after: star)...]) else {
                throw .argument("\"\(text)\" has no number behind the star.")
            }
            members.append(.init(name: "calls", value: .integer(count)))
            rest = rest[..<star]
        }
        let parts = rest.split(separator: "=", maxSplits: 1)
        members.append(.init(name: "kind", value: .string(parts.first.map(String.init) ?? "")))
        if parts.count > 1 {
            members.append(member(String(parts[1]), ofHost: parts[0] == "foreignHost"))
        }
        guard
            let fault = try FaultWish(
                json: .object([
                    .init(name: "faults", value: .array([.object(members)]))
                ])
            ).faults.first
        else { throw .argument("\"\(text)\" is no fault.") }
        return fault
    }

    /// A host, a number of milliseconds, a number of messages, or a code.
    private static func member(_ value: String, ofHost isHost: Bool) -> JSONValue.Member {
        if isHost { return .init(name: "host", value: .string(value)) }
        if value.hasSuffix("ms"), let count = Int64(value.dropLast(2)) {
            return .init(name: "milliseconds", value: .integer(count))
        }
        if let count = Int64(value) { return .init(name: "messages", value: .integer(count)) }
        return .init(name: "code", value: .string(value))
    }
}
