import HearthModel
import HearthRemote
import HearthServer
import Testing

@testable import HearthDaemon

struct CredentialsPlanTests {
    private static let keys: [GoogleSource.Place] = [
        .fileIfAny("/keys/demo.json"), .fileIfAny("/keys/default.json"),
    ]
    private static let applicationDefault: [GoogleSource.Place] = [
        .fileIfAny("/gcloud/application_default_credentials.json"), .metadataServer,
    ]

    private func plan(
        _ flags: [ConfigurationKey: String], environment: [String: String] = [:]
    ) -> CredentialsPlan {
        let around = ["CLOUDSDK_CONFIG": "/gcloud"].merging(environment) { $1 }
        let (configuration, problems) = ServerConfiguration.join(
            [ConfigurationLayer(flags: [.credentialsFolder: "/keys"].merging(flags) { $1 })],
            in: Surroundings(environment: around, isRoot: false))
        #expect(problems == [])
        return CredentialsPlan(configuration, project: "demo")
    }

    @Test func `an emulator sees its administrator, or the user who is named`() {
        #expect(plan([.upstreamEmulator: "h:1"]) == .owner)
        #expect(plan([:], environment: ["FIRESTORE_EMULATOR_HOST": "h:1"]) == .owner)
        #expect(
            plan([.upstreamEmulator: "h:1", .upstreamUser: "ann"]) == .emulatorUser(UserID("ann")))
        // What is asked for by name counts before an emulator too.
        #expect(plan([.upstreamEmulator: "h:1", .credentialsSource: "none"]) == .none)
        #expect(
            plan([
                .upstreamEmulator: "h:1", .credentialsSource: "firebaseUser",
                .credentialsAPIKey: "k",
            ]) == .firebaseUser)
    }

    @Test func `by itself the backend sees the first that there is`() {
        #expect(plan([:]) == .google(Self.keys + Self.applicationDefault))
        #expect(plan([.credentialsFile: "/k"]) == .google([.file("/k")]))
        #expect(plan([.credentialsAPIKey: "k"]) == .firebaseUser)
        #expect(plan([.credentialsAPIKey: "k", .credentialsFile: "/k"]) == .google([.file("/k")]))
        #expect(
            plan([:], environment: ["GOOGLE_APPLICATION_CREDENTIALS": "/a"])
                == .google(Self.keys + [.file("/a")]))
    }

    @Test func `a source that is named is the only one`() {
        #expect(plan([.credentialsSource: "none", .credentialsFile: "/k"]) == .none)
        #expect(plan([.credentialsSource: "keyFile"]) == .google(Self.keys))
        #expect(
            plan([.credentialsSource: "keyFile", .credentialsFile: "/k"])
                == .google([.file("/k")]))
        #expect(
            plan([.credentialsSource: "applicationDefault", .credentialsFile: "/k"])
                == .google(Self.applicationDefault))
        #expect(plan([.credentialsSource: "metadataServer"]) == .google([.metadataServer]))
        guard case .impossible(let error) = plan([.credentialsSource: "firebaseUser"]) else {
            Issue.record("a user signs in without an API key")
            return
        }
        #expect(error.message.contains("credentials.apiKey"))
    }
}
