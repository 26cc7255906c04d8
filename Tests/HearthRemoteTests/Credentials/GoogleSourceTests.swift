import HearthModel
import HearthRemote
import HearthTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GoogleSourceTests {
    private let folder = TemporaryFolder()
    private let clock = ManualRemoteClock()

    private static let granted = StubEndpoint.Answer.json(
        #"{"access_token": "ya29.t", "expires_in": 3599, "token_type": "Bearer"}"#)

    private func source(
        _ places: [GoogleSource.Place],
        for purpose: TokenPurpose = .firestore(isExchanged: false),
        quotaProject: String? = nil, metadataHost: String? = nil
    ) -> GoogleSource {
        GoogleSource(
            places, for: purpose, quotaProject: quotaProject,
            metadataHost: metadataHost, clock: clock)
    }

    private func user(_ tokenAddress: String, quotaProject: String = "") throws -> String {
        try folder.write(
            """
            {"type": "authorized_user", "client_id": "c", "client_secret": "hunter2",
             "refresh_token": "1//r", "quota_project_id": "\(quotaProject)",
             "token_uri": "\(tokenAddress)"}
            """, to: "user.json")
    }

    // MARK: Service accounts

    @Test func `a service account signs its tokens itself`() async throws {
        let key = try TestKey.shared.get()
        let path = try folder.write(key.json(), to: "key.json")
        let token = try await source([.file(path)]).fetch()
        let now = ManualRemoteClock.start.seconds
        let claims = try #require(try key.claims(of: token.value.revealed))
        #expect(claims["iss"] == .string(TestKey.email))
        #expect(claims["sub"] == .string(TestKey.email))
        #expect(claims["aud"] == .string("https://firestore.googleapis.com/"))
        #expect(claims["iat"] == .integer(now))
        #expect(claims["exp"] == .integer(now + 3_600))
        #expect(token.expiresAt == clock.now().advanced(by: .seconds(3_600)))
        #expect(token.user == nil)
        #expect(token.headers.map(\.name) == ["authorization"])
    }

    @Test func `a service account's assertion is exchanged for a token`() async throws {
        let key = try TestKey.shared.get()
        try await StubEndpoint.serve { _ in
            Self.granted
        } _: { endpoint, host in
            let address = "http://\(host)/token"
            let path = try folder.write(key.json(tokenAddress: address), to: "key.json")
            let token = try await source(
                [.file(path)], for: .firestore(isExchanged: true), quotaProject: "payer"
            ).fetch()
            #expect(
                token.headers == [
                    Header("authorization", "Bearer ya29.t"),
                    Header("x-goog-user-project", "payer"),
                ])
            #expect(token.expiresAt == clock.now().advanced(by: .seconds(3_599)))
            let form = try #require(endpoint.questions.first).form
            #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
            let claims = try #require(try key.claims(of: form["assertion"] ?? ""))
            #expect(claims["aud"] == .string(address))
            #expect(
                claims["scope"] == .string("https://www.googleapis.com/auth/datastore"))
        }
    }

    @Test func `a token for the Realtime Database is fetched, with the scopes it wants`()
        async throws
    {
        let key = try TestKey.shared.get()
        try await StubEndpoint.serve { _ in
            Self.granted
        } _: { endpoint, host in
            let path = try folder.write(
                key.json(tokenAddress: "http://\(host)/token"), to: "key.json")
            let token = try await source([.file(path)], for: .realtime).fetch()
            #expect(token.value == Secret("ya29.t"))
            let form = try #require(endpoint.questions.first).form
            let claims = try #require(try key.claims(of: form["assertion"] ?? ""))
            #expect(
                claims["scope"]
                    == .string(
                        "https://www.googleapis.com/auth/firebase.database "
                            + "https://www.googleapis.com/auth/userinfo.email"))
        }
    }

    @Test func `a refused assertion is told with the cure and never repeated`() async throws {
        let key = try TestKey.shared.get()
        try await StubEndpoint.serve { question in
            .json(
                """
                {"error": "invalid_grant", "error_description": "no \(question.form["assertion"] ?? "")"}
                """, status: 400)
        } _: { endpoint, host in
            let path = try folder.write(
                key.json(tokenAddress: "http://\(host)/token"), to: "key.json")
            let error = await #expect(throws: HearthError.self) {
                try await source([.file(path)], for: .firestore(isExchanged: true)).fetch()
            }
            #expect(error?.code == .unauthenticated)
            #expect(error?.message.contains("invalid_grant, no <secret>") == true)
            #expect(error?.message.contains(TestKey.email) == true)
            #expect(error?.message.contains("clock") == true)
            #expect(endpoint.questions.count == 1)
        }
    }

    @Test(arguments: [
        StubEndpoint.Answer.json("{}", status: 503), .json("busy", status: 429), .json("{}"),
        .json(#"{"access_token": "t"}"#), .json(#"{"access_token": "", "expires_in": 1}"#),
        .json(#"{"access_token": "t", "expires_in": -1}"#), .init(body: "<html>"),
    ])
    func `an endpoint that does not answer well is asked again later`(
        _ answer: StubEndpoint.Answer
    ) async throws {
        try await StubEndpoint.serve { _ in
            answer
        } _: { _, host in
            let path = try user("http://\(host)/token")
            let error = await #expect(throws: HearthError.self) {
                try await source([.file(path)]).fetch()
            }
            #expect(error?.code == .unavailable)
        }
    }

    // MARK: Users

    @Test func `an authorised user's refresh token fetches tokens, and their project pays`()
        async throws
    {
        try await StubEndpoint.serve { _ in
            Self.granted
        } _: { endpoint, host in
            let path = try user("http://\(host)/token", quotaProject: "theirs")
            let token = try await source([.fileIfAny(path)]).fetch()
            #expect(token.headers.last == Header("x-goog-user-project", "theirs"))
            #expect(
                endpoint.questions.first?.form == [
                    "grant_type": "refresh_token", "client_id": "c", "client_secret": "hunter2",
                    "refresh_token": "1//r",
                ])
            let ours = try await source([.file(path)], quotaProject: "ours").fetch()
            #expect(ours.headers.last == Header("x-goog-user-project", "ours"))
        }
    }

    // MARK: The order

    @Test func `the order is Google's`() {
        #expect(
            GoogleSource.applicationDefault(named: "/k.json", folder: "/g") == [.file("/k.json")])
        #expect(
            GoogleSource.applicationDefault(named: nil, folder: "/g") == [
                .fileIfAny("/g/application_default_credentials.json"), .metadataServer,
            ])
        #expect(GoogleSource.applicationDefault(named: nil, folder: nil) == [.metadataServer])
    }

    @Test func `a place without a file is passed over, a broken file is not`() async throws {
        try await StubEndpoint.serve { _ in
            .init(headers: [("Metadata-Flavor", "Google")], body: Self.granted.body)
        } _: { endpoint, host in
            let path = "\(folder.path)/perhaps.json"
            let source = source([.fileIfAny(path), .metadataServer], metadataHost: host)
            #expect(try await source.fetch().value.revealed == "ya29.t")
            try folder.write("broken", to: "perhaps.json")
            await #expect(throws: HearthError.self) { try await source.fetch() }
            #expect(endpoint.questions.count == 1)
            // Mended, it counts at once.
            let key = try TestKey.shared.get()
            try folder.write(key.json(), to: "perhaps.json")
            let token = try await source.fetch()
            #expect(try key.claims(of: token.value.revealed) != nil)
        }
    }

    @Test func `if nothing is anywhere, the places are told`() async throws {
        let error = await #expect(throws: HearthError.self) {
            try await source([.fileIfAny("/nonexistent/a"), .fileIfAny("/nonexistent/b")]).fetch()
        }
        #expect(error?.code == .unauthenticated)
        #expect(error?.message.contains("/nonexistent/a, /nonexistent/b") == true)
    }

    // MARK: The metadata server

    @Test func `the metadata server gives a token and the project`() async throws {
        try await StubEndpoint.serve { question in
            let body = question.path.hasSuffix("project-id") ? "demo" : Self.granted.body
            return .init(headers: [("metadata-flavor", "Google")], body: body)
        } _: { endpoint, host in
            let token = try await source(
                [.metadataServer], for: .realtime, metadataHost: host
            ).fetch()
            #expect(token.value.revealed == "ya29.t")
            #expect(try await MetadataServer(host: host, clock: clock).project() == "demo")
            #expect(
                endpoint.questions.map(\.path) == [
                    "/computeMetadata/v1/instance/service-accounts/default/token",
                    "/computeMetadata/v1/project/project-id",
                ])
            #expect(endpoint.questions.allSatisfy { $0.headers["metadata-flavor"] == "Google" })
            #expect(
                endpoint.questions.first?.target.contains("firebase.database%2Chttps") == true)
        }
    }

    @Test func `what is no metadata server is not believed`() async throws {
        try await StubEndpoint.serve { _ in
            Self.granted
        } _: { _, host in
            let error = await #expect(throws: HearthError.self) {
                try await source([.metadataServer], metadataHost: host).fetch()
            }
            #expect(error?.message.contains("Metadata-Flavor") == true)
        }
        let absent = await #expect(throws: HearthError.self) {
            try await source([.metadataServer], metadataHost: "127.0.0.1:1").fetch()
        }
        #expect(absent?.code == .unavailable)
        #expect(absent?.message.contains("credentials.file") == true)
        let wrong = await #expect(throws: HearthError.self) {
            try await source([.metadataServer], metadataHost: "no host").fetch()
        }
        #expect(wrong?.message.contains("GCE_METADATA_HOST") == true)
    }
}
