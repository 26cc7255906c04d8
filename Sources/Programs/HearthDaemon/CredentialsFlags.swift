import ArgumentParser
import HearthServer

/// The keys of `[credentials]` as flags. None takes a password or a token: everybody sees flags.
struct CredentialsFlags: ParsableArguments {
    @Option(
        name: .customLong("credentials.source"),
        help: ArgumentHelp("Where credentials come from, such as keyFile.", valueName: "place"))
    var source: String?

    @Option(
        name: .customLong("credentials.file"),
        help: ArgumentHelp("The key of a service account or an authorised user.", valueName: "path")
    )
    var file: String?

    @Option(
        name: .customLong("credentials.folder"),
        help: ArgumentHelp("A folder with a key for each project.", valueName: "path"))
    var folder: String?

    @Option(
        name: .customLong("credentials.tokens"),
        help: ArgumentHelp("A service account's: selfSigned or exchanged.", valueName: "kind"))
    var tokens: String?

    @Option(
        name: .customLong("credentials.quotaProject"),
        help: ArgumentHelp("The project that pays for the calls.", valueName: "name"))
    var quotaProject: String?

    @Option(
        name: .customLong("credentials.apiKey"),
        help: ArgumentHelp("The API key of the project, for Firebase users.", valueName: "key"))
    var apiKey: String?

    @Option(
        name: .customLong("credentials.signIn"),
        help: ArgumentHelp("How a Firebase user signs in, such as anonymous.", valueName: "way"))
    var signIn: String?

    @Option(
        name: .customLong("credentials.email"),
        help: ArgumentHelp("Whose password it is.", valueName: "address"))
    var email: String?

    @Option(
        name: .customLong("credentials.passwordFile"),
        help: ArgumentHelp("Where the password is.", valueName: "path"))
    var passwordFile: String?

    @Option(
        name: .customLong("credentials.customTokenFile"),
        help: ArgumentHelp("Where the custom token is.", valueName: "path"))
    var customTokenFile: String?

    /// The value of one of these keys; `nil` for any other, and for a flag that was not given.
    func value(of key: ConfigurationKey) -> String? {
        let values: [ConfigurationKey: String?] = [
            .credentialsSource: source,
            .credentialsFile: file,
            .credentialsFolder: folder,
            .credentialsTokens: tokens,
            .credentialsQuotaProject: quotaProject,
            .credentialsAPIKey: apiKey,
            .credentialsSignIn: signIn,
            .credentialsEmail: email,
            .credentialsPasswordFile: passwordFile,
            .credentialsCustomTokenFile: customTokenFile,
        ]
        return values[key] ?? nil
    }
}
