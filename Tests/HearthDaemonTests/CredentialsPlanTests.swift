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
        _ flags: [String: String], environment: [String: String] = [:]
    ) -> CredentialsPlan {
        let around = ["CLOUDSDK_CONFIG": "/gcloud"].merging(environment) { $1 }
        let (configuration, problems) = ServerConfiguration.join(
            [ConfigurationLayer(flags: ["credentials.folder": "/keys"].merging(flags) { $1 })],
            in: Surroundings(environment: around, isRoot: false))
        #expect(problems == [])
        return CredentialsPlan(configuration, project: "demo")
    }

    @Test func `an emulator sees its administrator, or the user who is named`() {
        #expect(plan(["upstream.emulator": "h:1"]) == .owner)
        #expect(plan([:], environment: ["FIRESTORE_EMULATOR_HOST": "h:1"]) == .owner)
        #expect(
            plan(["upstream.emulator": "h:1", "upstream.user": "ann"])
                == .emulatorUser(UserID("ann")))
        // What is asked for by name counts before an emulator too.
        #expect(plan(["upstream.emulator": "h:1", "credentials.source": "none"]) == .none)
        #expect(
            plan([
                "upstream.emulator": "h:1", "credentials.source": "firebaseUser",
                "credentials.apiKey": "k",
            ]) == .firebaseUser)
    }

    @Test func `by itself the backend sees the first that there is`() {
        #expect(plan([:]) == .google(Self.keys + Self.applicationDefault))
        #expect(plan(["credentials.file": "/k"]) == .google([.file("/k")]))
        #expect(plan(["credentials.apiKey": "k"]) == .firebaseUser)
        #expect(
            plan(["credentials.apiKey": "k", "credentials.file": "/k"]) == .google([.file("/k")]))
        #expect(
            plan([:], environment: ["GOOGLE_APPLICATION_CREDENTIALS": "/a"])
                == .google(Self.keys + [.file("/a")]))
    }

    @Test func `a source that is named is the only one`() {
        #expect(plan(["credentials.source": "none", "credentials.file": "/k"]) == .none)
        #expect(plan(["credentials.source": "keyFile"]) == .google(Self.keys))
        #expect(
            plan(["credentials.source": "keyFile", "credentials.file": "/k"])
                == .google([.file("/k")]))
        #expect(
            plan(["credentials.source": "applicationDefault", "credentials.file": "/k"])
                == .google(Self.applicationDefault))
        #expect(plan(["credentials.source": "metadataServer"]) == .google([.metadataServer]))
        guard case .impossible(let error) = plan(["credentials.source": "firebaseUser"]) else {
            Issue.record("a user signs in without an API key")
            return
        }
        #expect(error.message.contains("credentials.apiKey"))
    }
}
