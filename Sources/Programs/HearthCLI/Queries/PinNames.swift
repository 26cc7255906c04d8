import ArgumentParser
import Hearth

/// Finds the pin that somebody means.
struct PinNames {
    /// The pins that there are.
    let pins: [Pin]

    /// The name of the pin of a name.
    ///
    /// - Parameter name: The name, or the form that a program's query without a name has, such as
    ///   `rooms|f:lights>3|ob:__name__asc|lt:F`, of a pin that has another name.
    func name(_ name: String) -> String {
        has(name) || !name.utf8.contains(UInt8(ascii: "|")) ? name : named(byQuery: name) ?? name
    }

    /// The name of the pin of a query as it is typed.
    ///
    /// - Parameters:
    ///   - typed: The query's text, as `QueryWords` has it.
    ///   - canonical: The form that a program's query without a name has.
    func name(typed: String, canonical: String) -> String {
        if has(typed) { return typed }
        return has(canonical) ? canonical : named(byQuery: canonical) ?? typed
    }

    private func has(_ name: String) -> Bool {
        pins.contains { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private func named(byQuery query: String) -> String? {
        pins.first { $0.unnamed.utf8.elementsEqual(query.utf8) }?.name
    }

    /// A pin's name as `hearth unpin` takes it on a command line: a typed query as it is, another name as
    /// one word.
    static func argument(_ name: String) -> String {
        guard let words = ShellText.words(name), words.count > 1,
            let command = try? UnpinCommand.parse(words), let typed = command.typedQuery,
            typed.utf8.elementsEqual(name.utf8)
        else { return ShellText.word(name) }
        return name
    }
}
