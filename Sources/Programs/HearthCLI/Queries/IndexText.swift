import Hearth

/// `FIELD`, `FIELD:asc`, `FIELD:desc` or `FIELD:contains`, as it is typed for an index.
struct IndexText: Hashable {
    /// The field.
    let field: FieldPathText
    /// How it is listed.
    let kind: CacheIndex.Kind

    /// Reads a field of an index.
    init(parsing text: String) throws(ValueSyntaxError) {
        var rest = Substring(text)
        field = try FieldPathText(readingFrom: &rest, in: text)
        switch rest {
        case "", ":asc": kind = .ascending
        case ":desc": kind = .descending
        case ":contains": kind = .contains
        default:
            throw ValueSyntaxError(
                "only \":asc\", \":desc\" or \":contains\" may follow the field",
                at: text.utf8.count - rest.utf8.count, in: Array(text.utf8))
        }
    }
}
