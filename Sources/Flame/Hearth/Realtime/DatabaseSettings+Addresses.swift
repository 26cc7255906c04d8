import HearthModel

extension DatabaseSettings {
    /// Whether a text that a person typed is the address of an instance and fits `url`.
    public static func isInstanceURL(_ text: String) -> Bool { InstanceID(url: text) != nil }

    /// Whether a text is the name of an instance and fits `instanceName`.
    public static func isInstanceName(_ text: String) -> Bool { InstanceID.name(text) != nil }
}
