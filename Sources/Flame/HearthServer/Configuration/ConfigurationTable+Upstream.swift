import HearthModel

/// The keys of the backend, and of who we are to it.
extension ConfigurationTable {
    static let upstream = ConfigurationSection(
        "upstream",
        keys: [
            .taken("address", .text, "host:port", "The backend.") { address, configuration in
                configuration.upstreamAddress = address
                configuration.emulator = nil
                configuration.upstreamOrigin = "upstream.address"
            }.told("The backend, as host:port, over TLS.")
                .shown(.text(ServerConfiguration().upstreamAddress)),
            .taken(
                "emulator", .text, "address", "An emulator instead: HOST:PORT or unix:PATH."
            ) { address, configuration in
                configuration.emulator = address.isEmpty ? nil : address
                configuration.upstreamOrigin = "upstream.emulator"
            }.told(
                """
                An emulator instead, as host:port or unix:PATH, in plaintext. If neither key is \
                set, the environment variable FIRESTORE_EMULATOR_HOST counts; the log says which \
                of them did.
                """),
            .flag("isEnabled", \.isUpstreamEnabled, "Whether to connect at all.").told(
                "Whether to connect at all. Without a connection everything works as offline."),
            .taken("user", .text, "id", "Firebase's user to whom the queue belongs.") {
                $1.user = UserID($0)
            }.told(
                """
                Firebase's user to whom queued writes belong; empty for nobody. Not a Unix user. \
                Before an emulator Hearth shows itself as this user, whom security rules know, or \
                as administrator if it is empty. With credentials.source "firebaseUser" whoever is \
                signed in counts instead.
                """),
            .text(
                "trustedCertificates", "path", \.trustedCertificates,
                "Who vouches for the backend, in PEM."
            ).told(
                """
                Who vouches for the backend, and for the endpoints of tokens: a file of \
                certificates in PEM. Empty for the authorities that the machine trusts.
                """),
            .text(
                "serverName", "name", \.serverName, "What the backend's certificate calls it."
            ).told("What the backend's certificate calls it, if not the host of the address."),
        ])

    static let credentials = ConfigurationSection(
        "credentials", keys: keysOfPlaces + keysOfUsers)

    private static let keysOfPlaces: [ConfigurationKey] = [
        .choice(
            "source", "place", \.credentials.source,
            "Where credentials come from, such as keyFile."
        ).told(
            """
            Where the proof of our identity comes from. If the proof is missing, unreadable or \
            refused, `hearth status` says so and names a remedy, everything works as offline, and \
            the daemon tries the proof again by itself.
              "automatic"           before an emulator, upstream.user; else the first of: `file`; a
                                    Firebase user, if there is an `apiKey`; a key in `folder`;
                                    "applicationDefault"
              "none"                from nowhere: nothing is shown
              "keyFile"             from `file`, or from `folder`
              "applicationDefault"  as Google's tools: $GOOGLE_APPLICATION_CREDENTIALS, then
                                    application_default_credentials.json in $CLOUDSDK_CONFIG or
                                    ~/.config/gcloud, then the metadata server
              "metadataServer"      from the machine, if it is one of Google's ($GCE_METADATA_HOST)
              "firebaseUser"        from Firebase Auth, with `apiKey` and `signIn`; security rules
                                    apply
            """),
        .text(
            "file", "path", \.credentials.file,
            "The key of a service account or an authorised user."
        ).told(
            """
            The key of a service account, or of a user, as Google's tools write it. In JSON. A pipe, \
            such as a shell's <(...), is read once, and what it held counts until the daemon ends.
            """),
        .text(
            "folder", "path", \.credentials.folder, "A folder with a key for each project."
        ).told(
            """
            Where else keys are: PROJECT.json for a project, default.json for all others. The same \
            names after "key_" are looked for in $CREDENTIALS_DIRECTORY first, where systemd's \
            LoadCredential=key:FOLDER puts them. The default is keys in $CONFIGURATION_DIRECTORY, \
            /etc/hearth/keys for root, or hearth/keys in $XDG_CONFIG_HOME.
            """
        ).shown(.text("/etc/hearth/keys")),
        .taken(
            "tokens", .choice(["selfSigned", "exchanged"]), "kind",
            "A service account's: selfSigned or exchanged."
        ) { $1.credentials.isExchanged = $0 == "exchanged" }.told(
            """
            A service account's tokens: "selfSigned" here, or "exchanged" at the endpoint that its \
            key names.
            """
        ).shown(.text("selfSigned")),
        .text(
            "quotaProject", "name", \.credentials.quotaProject,
            "The project that pays for the calls."
        ).told("The project that pays for the calls, if not the called project."),
    ]

    private static let keysOfUsers: [ConfigurationKey] = [
        .text(
            "apiKey", "key", \.credentials.apiKey,
            "The API key of the project, for Firebase users."
        ).told("The API key of the Firebase project. It names the project and proves nothing."),
        .choice(
            "signIn", "way", \.credentials.signIn,
            "How a Firebase user signs in, such as anonymous."
        ).told(
            """
            How a Firebase user signs in: "anonymous", who stays the same; "password"; \
            "customToken"; or "none", for whenever an administrator does. The sign-in is kept in \
            the store's folder.
            """),
        .text("email", "address", \.credentials.email, "Whose password it is."),
        .text(
            "passwordFile", "path", \.credentials.passwordFile, "Where the password is."
        ).told("Where the password is, on the first line; for nobody's eyes but ours."),
        .text(
            "customTokenFile", "path", \.credentials.customTokenFile,
            "Where the custom token is."
        ).told("Where the custom token is, on the first line."),
    ]
}
