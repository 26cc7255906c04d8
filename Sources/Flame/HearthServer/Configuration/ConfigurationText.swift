/// The text of `hearthd.toml`, which shows every key with its default.
package enum ConfigurationText {
    private static let columnCount = 100

    /// The whole file. `Scripts/generate-configuration` writes it down.
    package static var whole: String {
        let head = comment(ConfigurationTable.introduction)
        return ([head] + ConfigurationTable.sections.map(lines)).map { part in
            part.map { $0 + "\n" }.joined()
        }.joined(separator: "\n")
    }

    private static func lines(of section: ConfigurationSection) -> [String] {
        var lines = ["[\(section.name)]"] + comment(reload(of: section)) + [""]
        if !section.introduction.isEmpty { lines += comment(section.introduction) }
        if !section.introduction.isEmpty, !section.keys.isEmpty { lines.append("") }
        for key in section.keys {
            lines += comment(words(of: key))
            lines.append("#\(key.name.dropFirst(section.name.count + 1)) = \(key.standard)")
        }
        return lines + section.examples.map { "#" + $0 }
    }

    private static func reload(of section: ConfigurationSection) -> String {
        if section.takesEffectAtOnce { return "A reload applies a change at once." }
        let live = section.keys.filter(\.takesEffectAtOnce).map {
            "\($0.name.dropFirst(section.name.count + 1))"
        }
        if live.isEmpty { return "A change needs a restart." }
        let first = live.dropLast().joined(separator: ", ")
        let names = live.count == 1 ? live[0] : "\(first) and \(live[live.count - 1])"
        return "A reload applies a change of \(names) at once; any other needs a restart."
    }

    /// The purpose of a key, and the numbers that the key takes.
    private static func words(of key: ConfigurationKey) -> String {
        guard case .number(let range) = key.kind, case .number(let standard) = key.standard,
            let unit = key.unit
        else { return key.explanation }
        let (least, most) = (amount(range.lowerBound, unit), amount(range.upperBound, unit))
        let standardText = unit == .bytes ? "; \(amount(standard, unit)) if it is not set" : ""
        return
            "\(key.explanation) From \(least) to \(most) for \(key.scope.rawValue)\(standardText)."
    }

    /// A number with the unit; bytes get the largest unit that leaves the number whole.
    private static func amount(_ number: Int, _ unit: ConfigurationKey.Unit) -> String {
        switch unit {
        case .count: return "\(number)"
        case .seconds: return "\(number) s"
        case .milliseconds: return "\(number) ms"
        case .bytes:
            if number == 0 { return "0" }
            let names = ["bytes", "KiB", "MiB", "GiB", "TiB"]
            let index = min(number.trailingZeroBitCount / 10, names.count - 1)
            return "\(number >> (10 * index)) \(names[index])"
        }
    }

    /// The lines of a comment: prose is wrapped between words, and indented lines stay unchanged.
    private static func comment(_ text: String) -> [String] {
        var lines: [String] = []
        var isProse = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  ") || line.isEmpty {
                lines.append(line.isEmpty ? "#" : "# \(line)")
                isProse = false
                continue
            }
            if !isProse { lines.append("#") }
            isProse = true
            for word in line.split(separator: " ") {
                if (lines.last ?? "").count + word.count >= columnCount { lines.append("#") }
                lines[lines.count - 1] += " \(word)"
            }
        }
        return lines
    }
}
