import ArgumentParser
import HearthServer

/// Every key of the configuration table as a flag of the same name.
///
/// Each value is a text here; the configuration checks its kind. No flag takes a password or a
/// token, because every user of the machine sees the flags of a process.
///
/// ArgumentParser finds the flags of a command in the command's mirror, and gives the values to the
/// decoder. So the mirror here shows a flag for each row of the table, `init(from:)` asks the
/// decoder for each row, and no key needs a property of its own.
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
