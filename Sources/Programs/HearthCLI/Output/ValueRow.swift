/// A named value in the table of one result: a field of a document, a child of a place, a number.
struct ValueRow: ListRow {
    /// The name.
    let name: String
    /// The value.
    let value: ValueLiteral

    static var columns: [Column<ValueRow>] {
        [Column("NAME") { $0.name }, Column("VALUE") { ValueWriter.write($0.value, as: .text) }]
    }

    var report: Report { Report().with("name", name).with("value", value) }

    /// The rows of a value: one for each field of a map, and one row for a value that is no map.
    ///
    /// - Parameter name: Of the value itself.
    static func rows(of value: ValueLiteral, named name: String) -> [ValueRow] {
        guard let fields = value.fields else { return [ValueRow(name: name, value: value)] }
        return fields.map { ValueRow(name: $0.name, value: $0.value) }
    }

    /// Prints rows as a table.
    ///
    /// - Parameter isQuiet: Whether the titles are left out.
    static func printTable(_ rows: [ValueRow], isQuiet: Bool) {
        ListFormat.table.print(rows, isQuiet: isQuiet)
    }
}
