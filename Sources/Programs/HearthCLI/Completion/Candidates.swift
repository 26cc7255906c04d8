import ArgumentParser
import Hearth

/// What the daemon knows that can stand in a command line, as far as the person may see it.
struct Candidates {
    /// The most candidates of one answer.
    static let countMax = 100
    /// The most batches that are looked at.
    private static let batchCountMax = 1_000

    private let options: OperatorOptions
    private let list: BatchList

    /// Knows where to ask.
    ///
    /// - Parameter areLetters: Whether dead letters are meant by batches.
    init(_ options: OperatorOptions, ofLetters areLetters: Bool) {
        self.options = options
        list = areLetters ? .letters : .queue
    }

    /// The candidates that begin with what is typed, each once.
    ///
    /// - Throws: `Failure` if the daemon is not there or refuses.
    nonisolated(nonsending) func list(
        of subject: CompletionSubject, beginningWith typed: String
    ) async throws -> [String] {
        try Session.probe(options.socketPath)
        return Self.fit(try await names(of: subject, beginningWith: typed), beginningWith: typed)
    }

    /// The first names that begin with a text, each once. Compared by their bytes, as the daemon does.
    static func fit(_ names: [String], beginningWith typed: String) -> [String] {
        var seen: Set<[UInt8]> = []
        let fit = names.filter {
            $0.utf8.starts(with: typed.utf8) && seen.insert(Array($0.utf8)).inserted
        }
        return Array(fit.prefix(countMax))
    }

    private nonisolated(nonsending) func names(
        of subject: CompletionSubject, beginningWith typed: String
    ) async throws -> [String] {
        switch subject {
        case .document, .collection, .path:
            let firestore = Firestore(settings: options.connection.settings)
            return try await PathCandidates(firestore, of: subject, countMax: Self.countMax)
                .list(beginningWith: typed)
        case .place: return try await places(beginningWith: typed)
        case .keptPlace:
            let kept = try await options.instance.keptPlaces().map(\.path)
            // Who may not read above a place, or whose daemon is older, still has what is kept.
            return kept + ((try? await places(beginningWith: typed)) ?? [])
        case .pin:
            return try await Firestore(settings: options.connection.settings).pins().map(\.name)
        case .database: return try await statuses().compactMap(Self.databaseName)
        case .instance: return try await statuses().compactMap(\.instanceURL)
        case .batch: return try await batches().map { "\($0.batch.id)" }
        case .batchCondition: return try await batches().flatMap(Self.conditions)
        }
    }

    /// Places in the cache that continue a place by one key. A place with children ends in a slash.
    private nonisolated(nonsending) func places(
        beginningWith typed: String
    ) async throws -> [String] {
        let (parent, start) = PathCandidates.parts(of: typed)
        let children = try await options.instance.cachedChildren(
            of: parent, beginningWith: start, countMax: Self.countMax)
        return children.map { parent + $0.key + ($0.hasChildren ? "/" : "") }
    }

    private nonisolated(nonsending) func statuses() async throws -> [DaemonStatus] {
        // The database that is being typed names none yet.
        let all = try OperatorOptions.parse(["--socket", options.socketPath])
        return try await OperatorSession.open(all).statuses()
    }

    private nonisolated(nonsending) func batches() async throws -> [BatchText] {
        let database = try await OperatorSession.open(options).database
        return try await list.batches(
            BatchSelection.parse([]), limit: Self.batchCountMax, of: database)
    }

    /// A Firestore database as `--database` takes it; `nil` for an instance.
    static func databaseName(_ status: DaemonStatus) -> String? {
        guard status.instanceURL == nil else { return nil }
        return status.databaseID == "(default)"
            ? status.projectID : "\(status.projectID)/\(status.databaseID)"
    }

    /// Conditions that a batch meets: its state, its writer, and the cause.
    static func conditions(_ batch: BatchText) -> [String] {
        let writer = batch.batch.writer
        let values = [
            ("state", batch.state), ("unit", writer.unit), ("program", writer.program),
            ("cause", batch.letter?.error.codeName),
        ]
        return values.compactMap { field, value in value.map { condition(field, $0) } }
    }

    /// A condition as it is typed, with the text in quotes where it would be read as something else.
    private static func condition(_ field: String, _ text: String) -> String {
        let plain = "\(field) == \(text)"
        if let read = try? Condition(parsing: plain), case .string(let value) = read.operand,
            value.utf8.elementsEqual(text.utf8)
        {
            return plain
        }
        return "\(field) == \(ValueWriter.write(.string(text), as: .json))"
    }
}
