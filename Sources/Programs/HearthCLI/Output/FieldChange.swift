import Hearth

/// One field that two versions of a document do not have alike.
struct FieldChange: Hashable {
    /// The way to the field, through maps.
    let path: FieldPathText
    /// The value before; `nil` if there was no such field.
    let before: ValueLiteral?
    /// The value afterwards; `nil` if there is none any more.
    let after: ValueLiteral?

    /// What changed between two documents, in the order of the fields.
    ///
    /// Maps are compared field by field, arrays whole. Values are the same if their texts have the same
    /// bytes: Firestore tells spellings of a text apart that Swift holds equal.
    ///
    /// - Parameter before: The fields; `nil` if there was no document. `after` likewise.
    static func changes(from before: ValueLiteral?, to after: ValueLiteral?) -> [FieldChange] {
        var changes: [FieldChange] = []
        compare(before?.fields ?? [], after?.fields ?? [], below: [], &changes)
        return changes
    }

    private static func compare(
        _ before: [ValueLiteral.Field], _ after: [ValueLiteral.Field], below names: [String],
        _ changes: inout [FieldChange]
    ) {
        let old = byName(before)
        let new = byName(after)
        let gone = before.filter { new[Array($0.name.utf8)] == nil }
        for field in after + gone {
            let name = Array(field.name.utf8)
            let (was, now) = (old[name], new[name])
            let path = names + [field.name]
            if let was = was?.fields, let now = now?.fields, !was.isEmpty, !now.isEmpty {
                compare(was, now, below: path, &changes)
            } else if text(was) != text(now) {
                changes.append(
                    FieldChange(path: FieldPathText(names: path), before: was, after: now))
            }
        }
    }

    private static func byName(_ fields: [ValueLiteral.Field]) -> [[UInt8]: ValueLiteral] {
        Dictionary(fields.map { (Array($0.name.utf8), $0.value) }) { _, last in last }
    }

    private static func text(_ value: ValueLiteral?) -> [UInt8]? {
        value.map { Array(ValueWriter.write($0, as: .json).utf8) }
    }

    /// The change for people: `+` for a new field, `-` for one that is gone, `~` for another value.
    var line: String {
        func text(_ value: ValueLiteral) -> String { ValueWriter.write(value, as: .text) }
        return switch (before, after) {
        case (nil, let after?): "+ \(path): \(text(after))"
        case (let before?, nil): "- \(path): \(text(before))"
        case (let before?, let after?): "~ \(path): \(text(before)) -> \(text(after))"
        case (nil, nil): "  \(path)"
        }
    }

    /// The change for programs: field, and before and after as far as there are any.
    var report: Report {
        var report = Report().with("field", path.description)
        if let before { report = report.with("before", before) }
        if let after { report = report.with("after", after) }
        return report
    }
}
