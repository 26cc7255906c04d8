/// `FIELD`, `FIELD:asc` or `FIELD:desc`, as it is typed after `--order`.
struct Ordering: Hashable {
    /// The field; `__name__` for the document's own name.
    let field: FieldPathText
    /// Whether the greatest comes first.
    let isDescending: Bool

    /// Reads an order.
    init(parsing text: String) throws(ValueSyntaxError) {
        var rest = Substring(text)
        field = try FieldPathText(readingFrom: &rest, in: text)
        switch rest {
        case "", ":asc": isDescending = false
        case ":desc": isDescending = true
        default:
            throw ValueSyntaxError(
                "only \":asc\" or \":desc\" may follow the field",
                at: text.utf8.count - rest.utf8.count, in: Array(text.utf8))
        }
    }
}
