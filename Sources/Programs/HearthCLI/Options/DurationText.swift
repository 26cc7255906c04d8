import ArgumentParser

/// A span of time as it is typed: `30s`, `500ms`, `2m`, `1h`, or seconds without a unit.
struct DurationText: Hashable {
    /// The span.
    let duration: Duration

    /// Reads a span; `nil` for anything else, and for spans below zero.
    init?(_ text: String) {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let value = Double(number), value.isFinite, value <= 1e9 else { return nil }
        switch text[number.endIndex...] {
        case "ms": duration = .seconds(value / 1_000)
        case "s", "": duration = .seconds(value)
        case "m": duration = .seconds(value * 60)
        case "h": duration = .seconds(value * 3_600)
        default: return nil
        }
    }
}

extension DurationText {
    /// Reads the argument of an option.
    static func parse(_ argument: String) throws -> DurationText {
        if let span = DurationText(argument) { return span }
        throw ValidationError("write a span of time, such as 30s, 500ms, 2m or 1h")
    }
}
