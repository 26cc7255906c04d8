import Glibc
import HearthModel
import HearthServer
import HearthTestSupport
import Testing

@testable import HearthDaemon

struct StartCheckTests {
    private let folder = TemporaryFolder()

    /// What the check says of a daemon of a project with these flags and this environment.
    private func problems(
        _ flags: [String: String], environment: [String: String] = [:], isReload: Bool = false
    ) async -> [String] {
        let standard = ["database.project": "demo", "credentials.source": "none"]
        let (configuration, problems) = ServerConfiguration.join(
            [ConfigurationLayer(flags: standard.merging(flags) { $1 })],
            in: Surroundings(environment: environment, isRoot: false))
        #expect(problems == [])
        return StartCheck(configuration, isReload: isReload).problems().map(\.description)
    }

    @Test func `a configuration that works has no problem`() async throws {
        #expect(await problems([:]) == [])
        #expect(
            await problems([
                "upstream.emulator": "127.0.0.1:8080", "realtime.emulator": "[::1]:9000",
                "credentials.source": "automatic", "store.folder": folder.path,
                "sockets.client": folder.path + "/hearth.sock",
            ]) == [])
        // Only the metadata server knows whether this is a machine of Google's.
        #expect(
            await problems(
                ["credentials.source": "metadataServer", "database.project": ""]) == [])
    }

    @Test(arguments: [
        ("upstream.emulator", "foo", "upstream"), ("upstream.emulator", "h:0", "upstream"),
        ("upstream.address", "https://example.com", "upstream"),
        ("realtime.emulator", "unix:", "realtime"),
    ])
    func `what is no address is told with its key`(
        key: String, text: String, section: String
    ) async {
        #expect(
            await problems([key: text]) == [
                "\(section): \(key) is \"\(text)\", which is no address; write HOST:PORT or "
                    + "unix:PATH."
            ])
    }

    @Test func `an address of the environment is told with its variable`() async {
        #expect(
            await problems([:], environment: ["FIRESTORE_EMULATOR_HOST": "here"]) == [
                "upstream: FIRESTORE_EMULATOR_HOST is \"here\", which is no address; write "
                    + "HOST:PORT or unix:PATH."
            ])
        let path = "/" + String(repeating: "x", count: 107)
        #expect(
            await problems(["upstream.emulator": "unix:\(path)"]) == [
                "upstream: upstream.emulator is \"unix:\(path)\"; the path of a socket has at "
                    + "most 107 bytes."
            ])
    }

    @Test func `a backend that is the daemon itself is told`() async {
        let told = await problems([
            "sockets.client": "/nonexistent/hearth.sock",
            "upstream.emulator": "unix:/nonexistent/firestore.sock",
        ])
        #expect(told.count == 1)
        #expect(told.first?.contains("where this daemon itself serves") == true)
    }

    @Test func `a key that is missing or no JSON is told once`() async throws {
        let missing = folder.path + "/none.json"
        let told = await problems([
            "credentials.source": "automatic", "credentials.file": missing,
        ])
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("credentials: The credentials in \(missing) cannot") == true)
        let path = try folder.write("no JSON", to: "key.json")
        let read = await problems(["credentials.source": "keyFile", "credentials.file": path])
        #expect(read.count == 1)
        #expect(read.first?.contains(path) == true)
        let off = ["credentials.source": "keyFile", "credentials.file": path]
            .merging(["upstream.isEnabled": "false"]) { $1 }
        #expect(await problems(off) == [])
    }

    @Test func `a user who cannot sign in is told`() async throws {
        let user = ["credentials.source": "firebaseUser"]
        #expect(await problems(user).first?.contains("credentials.apiKey") == true)
        let noFile = user.merging([
            "credentials.apiKey": "k", "credentials.signIn": "password",
            "credentials.email": "ann@example.com",
        ]) { $1 }
        #expect(await problems(noFile).first?.contains("credentials.passwordFile") == true)
        let path = try folder.write("secret\n", to: "password")
        let whole = noFile.merging(["credentials.passwordFile": path]) { $1 }
        #expect(await problems(whole) == [])
        #expect(
            await problems(whole, environment: ["FIREBASE_AUTH_EMULATOR_HOST": "a b"]) == [
                "credentials: FIREBASE_AUTH_EMULATOR_HOST is \"a b\", which is no host; write HOST "
                    + "or HOST:PORT."
            ])
    }

    @Test func `certificates that cannot be read are told`() async throws {
        let path = try folder.write("no PEM", to: "authorities.pem")
        for file in [path, folder.path + "/none.pem"] {
            #expect(
                await problems(["upstream.trustedCertificates": file]) == [
                    "upstream: No certificate can be read from \(file). Check that the file holds "
                        + "certificates in PEM and can be read."
                ])
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a reload reads no pipe, and waits for no writer`() async throws {
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let told = await problems(
            ["credentials.source": "keyFile", "credentials.file": path], isReload: true)
        #expect(told.count == 1)
        #expect(told.first?.contains("\(path) is a pipe, which can be read only once") == true)
        #expect(told.first?.contains("The credentials that the daemon runs with are kept") == true)
        let user = [
            "credentials.source": "firebaseUser", "credentials.apiKey": "k",
            "credentials.signIn": "customToken", "credentials.customTokenFile": path,
        ]
        #expect(await problems(user, isReload: true).first?.contains("is a pipe") == true)
        let unnamed = [
            "credentials.source": "keyFile", "credentials.file": path, "database.project": "",
        ]
        #expect(await problems(unnamed, isReload: true).count == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `certificates in a pipe are refused at once`() async throws {
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let told = await problems(["upstream.trustedCertificates": path])
        #expect(told.count == 1)
        #expect(told.first?.contains("\(path), which is a pipe") == true)
    }

    @Test func `a project that nothing names is told`() async {
        let told = await problems(["database.project": ""])
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("database: The configuration names no project") == true)
    }

    @Test func `places that cannot be used are told`() async throws {
        let long = "/run/" + String(repeating: "x", count: 95)
        #expect(
            await problems([
                "sockets.client": long, "sockets.control": "/run/c", "gateway.isEnabled": "false",
            ]) == [
                "sockets: sockets.client is \(long), of 100 bytes. Name a place of at most 99 bytes."
            ])
        #expect(
            await problems([
                "sockets.client": "/run/a", "sockets.control": "/run/a",
                "gateway.isEnabled": "false",
            ]) == [
                "sockets: sockets.client and sockets.control are both /run/a. Name two places."
            ])
        let file = try folder.write("", to: "occupied")
        #expect(
            await problems(["store.folder": file])
                == ["store: store.folder is \(file), which is no folder. Name a folder."])
        #expect(
            await problems(["store.folder": file + "/below"]) == [
                "store: store.folder is \(file)/below, which cannot be made: \(file) is no folder. "
                    + "Name another folder."
            ])
        #expect(
            await problems(["store.folder": "/proc/x/y"]).first?.hasPrefix(
                "store: store.folder is /proc/x/y, which cannot be made: /proc") == true)
        let deep = folder.path + "/a/b/"
        #expect(await problems(["store.folder": deep]) == [])
        #expect(access(folder.path + "/a", F_OK) != 0)
        #expect(await problems(["store.folder": ""]).first?.contains("is empty") == true)
    }
}
