/// An object of JSON, put together field by field, in this order.
struct Report {
    private var fields: [ValueLiteral.Field] = []

    /// An object without fields.
    init() {}

    /// Adds a field.
    func with(_ name: String, _ value: ValueLiteral) -> Report {
        var report = self
        report.fields.append(ValueLiteral.Field(name: name, value: value))
        return report
    }

    /// Adds text, or null.
    func with(_ name: String, _ text: String?) -> Report {
        with(name, text.map(ValueLiteral.string) ?? .null)
    }

    /// Adds a whole number.
    func with(_ name: String, _ number: Int) -> Report {
        with(name, .integer(Int64(number)))
    }

    /// Adds a flag.
    func with(_ name: String, _ flag: Bool) -> Report {
        with(name, .boolean(flag))
    }

    /// The object as a value.
    var value: ValueLiteral { .map(fields) }

    /// The object on one line.
    var line: String { ValueWriter.write(value, as: .json) }
}
