import HearthConsole
import HearthEmulator
import HearthModel
import HearthRules

/// The requests to the emulator, newest first.
extension EmulatorSource {
    /// Requests that one event tells at most; of more that came at once, the older ones are passed over.
    private static let eventCountMax = 200
    /// Tells the requests that are kept, and then each that ends.
    ///
    /// Shape: `{entries: [...], passedCount}`, newest first; `passedCount` were passed over.
    func runRequests(_ question: ConsoleQuestion, _ outlet: EventOutlet) async throws {
        var last = Int(clamping: try question.number("after") ?? 0)
        for await _ in desk.requests.wakes() {
            let (entries, newest) = desk.requests.entries(after: last)
            last = newest
            let told = entries.prefix(Self.eventCountMax)
            let json = JSONValue.members([
                "entries": .array(told.map(Self.json(of:))),
                "passedCount": .count(entries.count - told.count),
            ])
            guard await outlet.send("requests", JSONWriter.bytes(of: json)) else { return }
            try await Task.sleep(for: Self.eventInterval)
        }
    }

    private static func json(of entry: RequestEntry) -> JSONValue {
        .members([
            "number": .count(entry.number), "at": .string(entry.at.description),
            "durationSeconds": .seconds(entry.duration), "method": .string(entry.method),
            "db": .text(entry.database),
            "paths": .texts(entry.paths), "pathCount": .count(entry.pathCount),
            "who": json(of: entry.asker), "status": .string(entry.error?.code.name ?? "OK"),
            "message": .text(entry.error?.message),
            "verdicts": .array(entry.verdicts.map(json(of:))),
        ])
    }

    private static func json(of asker: RequestEntry.Asker) -> JSONValue {
        switch asker {
        case .owner: .members(["kind": .string("owner"), "uid": .null])
        case .user(let uid): .members(["kind": .string("user"), "uid": .string(uid)])
        case .nobody: .members(["kind": .string("nobody"), "uid": .null])
        }
    }

    /// What rules said, with the expressions that decided.
    static func json(of verdict: RuleVerdict) -> JSONValue {
        .members([
            "isAllowed": .boolean(verdict.isAllowed), "method": .string(verdict.method),
            "path": .string(verdict.path),
            "grounds": .array(
                verdict.grounds.map { ground in
                    .members([
                        "line": .count(ground.position.line),
                        "column": .count(ground.position.column), "text": .string(ground.text),
                        "outcome": .string(ground.outcome),
                        "statementLine": .count(ground.statement.line),
                    ])
                }),
        ])
    }
}
