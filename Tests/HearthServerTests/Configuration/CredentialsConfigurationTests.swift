import HearthModel
import HearthServer
import Testing

struct CredentialsConfigurationTests {
    private func join(
        _ values: [String: ConfigurationLayer.Value], environment: [String: String] = [:],
        isRoot: Bool = false
    ) -> (configuration: ServerConfiguration, problems: [String]) {
        let (configuration, problems) = ServerConfiguration.join(
            [ConfigurationLayer(origin: "file", values: values)],
            in: Surroundings(environment: environment, isRoot: isRoot))
        return (configuration, problems.map(\.description))
    }

    @Test func `every key of credentials is read`() {
        let (configuration, problems) = join([
            "credentials.source": .text("firebaseUser"), "credentials.file": .text("/k.json"),
            "credentials.folder": .text("/keys"), "credentials.tokens": .text("exchanged"),
            "credentials.quotaProject": .text("payer"), "credentials.apiKey": .text("AIza"),
            "credentials.signIn": .text("password"), "credentials.email": .text("a@b"),
            "credentials.passwordFile": .text("/p"), "credentials.customTokenFile": .text("/t"),
            "upstream.trustedCertificates": .text("/ca.pem"),
            "upstream.serverName": .text("firestore.example"), "upstream.user": .text("ann"),
        ])
        #expect(problems == [])
        let credentials = configuration.credentials
        #expect(credentials.source == .firebaseUser)
        #expect(credentials.file == "/k.json")
        #expect(credentials.folder == "/keys")
        #expect(credentials.isExchanged)
        #expect(credentials.quotaProject == "payer")
        #expect(credentials.apiKey == "AIza")
        #expect(credentials.signIn == .password)
        #expect(credentials.email == "a@b")
        #expect(credentials.passwordFile == "/p")
        #expect(credentials.customTokenFile == "/t")
        #expect(configuration.trustedCertificates == "/ca.pem")
        #expect(configuration.serverName == "firestore.example")
        #expect(configuration.user == UserID("ann"))
    }

    @Test func `a wrong word is told, and the default counts`() {
        let (configuration, problems) = join([
            "credentials.source": .text("magic"), "credentials.signIn": .flag(true),
            "credentials.tokens": .text("stolen"),
        ])
        #expect(problems.count == 3)
        #expect(problems.contains { $0.contains("credentials.source must be one of automatic") })
        #expect(configuration.credentials.source == .automatic)
        #expect(configuration.credentials.signIn == .none)
        #expect(!configuration.credentials.isExchanged)
    }

    @Test func `an empty text takes a default back`() {
        let (configuration, problems) = join(
            ["credentials.folder": .text(""), "credentials.file": .text("")], isRoot: true)
        #expect(problems == [])
        #expect(configuration.credentials.folder == nil)
        #expect(configuration.credentials.file == nil)
        #expect(configuration.credentials.keyPaths(project: "demo") == [])
    }

    @Test func `what Google's tools find around them is found`() {
        let credentials = join(
            [:],
            environment: [
                "GOOGLE_APPLICATION_CREDENTIALS": "/adc.json", "CLOUDSDK_CONFIG": "/gcloud",
                "GCE_METADATA_HOST": "meta:80", "FIREBASE_AUTH_EMULATOR_HOST": "auth:9099",
                "HOME": "/home/ann",
            ]
        ).configuration.credentials
        #expect(credentials.applicationCredentials == "/adc.json")
        #expect(credentials.gcloudFolder == "/gcloud")
        #expect(credentials.metadataHost == "meta:80")
        #expect(credentials.authEmulator == "auth:9099")
        #expect(credentials.folder == "/home/ann/.config/hearth/keys")
        let home = join([:], environment: ["HOME": "/home/ann"]).configuration.credentials
        #expect(home.gcloudFolder == "/home/ann/.config/gcloud")
        #expect(home.applicationCredentials == nil)
    }

    @Test func `keys are looked for by project, systemd's first`() {
        let (configuration, _) = join(
            [:],
            environment: [
                "CREDENTIALS_DIRECTORY": "/run/credentials/hearthd.service",
                "CONFIGURATION_DIRECTORY": "/etc/hearth",
            ], isRoot: true)
        let loaded = [
            "/run/credentials/hearthd.service/key_demo.json",
            "/run/credentials/hearthd.service/key_default.json",
        ]
        // The folder that systemd copies them from is root's alone; one that is named counts.
        #expect(configuration.credentials.keyPaths(project: "demo") == loaded)
        var named = configuration.credentials
        named.folder = "/keys"
        #expect(
            named.keyPaths(project: "demo") == loaded + ["/keys/demo.json", "/keys/default.json"])
        #expect(configuration.credentials.keyPaths(project: "../demo") == [])
        #expect(join([:], isRoot: true).configuration.credentials.folder == "/etc/hearth/keys")
    }
}
