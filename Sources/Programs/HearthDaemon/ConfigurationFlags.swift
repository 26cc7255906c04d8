import ArgumentParser
import HearthServer

/// Every key of the configuration as a flag of the same name, as the table has them. All values are texts
/// here; what they must be, the configuration knows. None takes a password or a token: everybody sees
/// flags.
///
/// ArgumentParser finds a command's flags by a mirror of it, and gives their values to its decoder. So the
/// mirror shows a flag for each row of the table, and the decoder is asked for each, and no key needs a
/// property of its own.
struct ConfigurationFlags: ParsableArguments, CustomReflectable {
    /// The flags that were given, by the names of their keys.
    private(set) var values: [String: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for key in ConfigurationTable.keys {
            let name = Name(stringValue: key.name)
            values[key.name] = try container.decodeIfPresent(String.self, forKey: name)
        }
    }

    var customMirror: Mirror {
        Mirror(
            self,
            children: ConfigurationTable.keys.map { key in
                let help = ArgumentHelp("\(key.help)", valueName: key.valueName)
                return (key.name, Option<String?>(name: .customLong(key.name), help: help))
            })
    }

    /// The name of any key.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
