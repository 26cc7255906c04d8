import HearthModel

extension ConfigurationLayer {
    /// Takes the flags of a command line by their names, whose values are all texts.
    package init(flags: [String: String]) {
        var values: [String: Value] = [:]
        for (name, text) in flags {
            values[name] =
                switch ConfigurationTable.key(named: name)?.kind {
                case .number?: Int(text).map(Value.number) ?? .text(text)
                case .flag?: Self.flag(text).map(Value.flag) ?? .text(text)
                case .nodes?, .documents?, .budgets?:
                    .texts(text.utf8Parts(",").filter { !$0.isEmpty })
                case .text?, .project?, .database?, .collection?, .instance?, .node?, .choice?,
                    .loopback?, .mode?, nil:
                    .text(text)
                }
        }
        self.init(origin: "the command line", values: values)
    }

    private static func flag(_ text: String) -> Bool? {
        switch text {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }
}
