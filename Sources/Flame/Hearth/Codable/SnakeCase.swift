/// Names of properties in the two common spellings, converted as Apple's coders convert them.
enum SnakeCase {
    /// `myURLProperty` becomes `my_url_property`.
    static func snake(_ name: String) -> String {
        let letters = Array(name)
        guard !letters.isEmpty else { return name }
        var words: [Range<Int>] = []
        var start = 0
        var from = 1
        while let upper = (from..<max(from, letters.count)).first(where: { letters[$0].isUppercase }
        ) {
            words.append(start..<upper)
            guard let lower = (upper..<letters.count).first(where: { letters[$0].isLowercase })
            else {
                start = upper
                break
            }
            // Of several capitals in a row the last begins the next word.
            start = lower - 1
            if start > upper { words.append(upper..<start) }
            from = lower + 1
        }
        words.append(start..<letters.count)
        return words.map { String(letters[$0]).lowercased() }.joined(separator: "_")
    }

    /// `my_url_property` becomes `myUrlProperty`; underscores at the ends stay.
    static func camel(_ name: String) -> String {
        let body = name.drop { $0 == "_" }
        guard !body.isEmpty else { return name }
        let leading = name.prefix { $0 == "_" }
        let trailing = body.reversed().prefix { $0 == "_" }
        let words = body.split(separator: "_")
        guard words.count > 1 else { return name }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return leading + words[0].lowercased() + rest.joined() + String(trailing)
    }
}
