extension ConfigurationLayer {
    /// Takes the flags of a command line, whose values are all texts.
    package init(flags: [ConfigurationKey: String]) {
        var values: [String: Value] = [:]
        for (key, text) in flags {
            values[key.rawValue] =
                switch key.kind {
                case .text, .name, .collection, .choice, .mode: .text(text)
                case .number: Int(text).map(Value.number) ?? .text(text)
                case .flag: Self.flag(text).map(Value.flag) ?? .text(text)
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
