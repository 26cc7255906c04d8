import ArgumentParser
import Hearth

/// Which batches are meant: by number, by range, by what is known of them, or all.
struct BatchSelection: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The batches, such as 12, 3-9 or 40-.", valueName: "number"),
        completion: CompletionSubject.batch.kind, transform: BatchRange.parse)
    var ranges: [BatchRange] = []

    @Option(
        name: .customLong("where"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Only those that meet a condition, such as 'cause == PERMISSION_DENIED', 'uid == 1000' "
                + "or 'documents array-contains rooms/hall'. Repeat it for more.",
            discussion: "The fields are those of list --json; comparisons as in `hearth query`.",
            valueName: "field op value"),
        completion: CompletionSubject.batchCondition.kind, transform: { try Condition(parsing: $0) }
    )
    var conditions: [Condition] = []

    @Flag(help: "All of them.")
    var all = false

    func validate() throws {
        if all, !ranges.isEmpty { throw ValidationError("--all and numbers exclude each other.") }
        for condition in conditions where !BatchText.fields.contains(condition.field.names[0]) {
            throw ValidationError(
                "No batch has a field \(condition.field); there are "
                    + "\(BatchText.fields.joined(separator: ", ")).")
        }
    }

    /// Whether nothing was said.
    var isEmpty: Bool { ranges.isEmpty && conditions.isEmpty && !all }

    /// The numbers, each once, if just numbers were given: they must all be there, or the order is
    /// refused.
    var numbers: [Int64]? {
        let numbers = ranges.compactMap(\.number)
        guard numbers.count == ranges.count, conditions.isEmpty, !all else { return nil }
        var seen: Set<Int64> = []
        return numbers.filter { seen.insert($0).inserted }
    }

    /// Whether a batch is meant.
    func contains(_ batch: BatchText) -> Bool {
        guard ranges.isEmpty || ranges.contains(where: { $0.contains(batch.batch.id) }) else {
            return false
        }
        if conditions.isEmpty { return true }
        let report = batch.report.value
        return conditions.allSatisfy { $0.holds(for: report) }
    }

    /// Before which number none is meant; none is looked at there.
    var start: Int64? { ranges.map(\.first).min().map { $0 - 1 } }

    /// Behind which number none is meant.
    var end: Int64 { ranges.map(\.last).max() ?? .max }
}
