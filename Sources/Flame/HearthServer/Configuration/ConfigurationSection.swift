/// One section of the configuration, with its keys in the order of the file.
package struct ConfigurationSection: Sendable {
    /// The section's name, which begins the names of the keys.
    package let name: String
    /// Whether a reload applies its keys, or a restart is needed.
    package let takesEffectAtOnce: Bool
    /// Text about all keys of the section, for the file and the manual page.
    package let introduction: String
    /// Its keys.
    package let keys: [ConfigurationKey]
    /// Lines with keys of the reader's own choice.
    package let examples: [String]

    /// Takes the keys, whose names have no section yet.
    init(
        _ name: String, takesEffectAtOnce: Bool = false, introduction: String = "",
        keys: [ConfigurationKey] = [], examples: [String] = []
    ) {
        self.name = name
        self.takesEffectAtOnce = takesEffectAtOnce
        self.introduction = introduction
        self.keys = keys.map { $0.held(by: name, isLive: takesEffectAtOnce) }
        self.examples = examples
    }
}
