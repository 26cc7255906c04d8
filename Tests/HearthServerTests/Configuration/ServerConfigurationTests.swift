import HearthFirestore
import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

struct ServerConfigurationTests {
    private static let nowhere = Surroundings(environment: [:], isRoot: false)

    private func join(
        _ layers: [[String: ConfigurationLayer.Value]], _ surroundings: Surroundings = nowhere
    ) -> (configuration: ServerConfiguration, problems: [String]) {
        let named = layers.enumerated().map {
            ConfigurationLayer(origin: "file \($0.offset + 1)", values: $0.element)
        }
        let (configuration, problems) = ServerConfiguration.join(named, in: surroundings)
        return (configuration, problems.map(\.description))
    }

    @Test func `a later layer wins, key by key`() {
        let (configuration, problems) = join([
            ["database.project": .text("one"), "limits.clientCountMax": .number(5)],
            ["database.project": .text("two")],
        ])
        #expect(problems == [])
        #expect(configuration.database == DatabaseID(project: "two"))
        #expect(configuration.limits.clientCountMax == 5)
    }

    @Test func `flags win over files`() {
        let file = ConfigurationLayer(origin: "file", values: ["server.loopCount": .number(1)])
        let flags = ConfigurationLayer(flags: ["server.loopCount": "3", "store.isPersistent": "no"])
        let (configuration, problems) = ServerConfiguration.join([file, flags], in: Self.nowhere)
        #expect(problems.isEmpty)
        #expect(configuration.loopCount == 3)
        #expect(configuration.storeFolder == nil)
    }

    @Test func `an unknown key is told by name, with what was perhaps meant`() {
        let (_, problems) = join([["store.Folder": .text("x"), "nonsense": .flag(true)]])
        #expect(
            problems == [
                "file 1: There is no key \"nonsense\".",
                "file 1: There is no key \"store.Folder\". Did you mean store.folder?",
            ])
    }

    @Test func `a wrong value is told and the one before it counts`() {
        let (configuration, problems) = join([
            ["server.loopCount": .number(4)],
            [
                "server.loopCount": .text("many"), "limits.clientCountMax": .number(0),
                "cache.collection": .text("all"), "store.folder": .other("a list"),
                "sockets.clientMode": .text("rw"), "upstream.isEnabled": .number(1),
            ],
        ])
        #expect(configuration.loopCount == 4)
        #expect(configuration.limits.clientCountMax == 1_024)
        #expect(
            problems == [
                "file 2: cache.collection must be one of leastUsed, eager, never, not \"all\".",
                "file 2: limits.clientCountMax must be a number from 1 to 1000000, not 0.",
                "file 2: server.loopCount must be a number from 1 to 16, not \"many\".",
                "file 2: sockets.clientMode must be a text of octal digits such as \"0660\", not "
                    + "\"rw\".",
                "file 2: store.folder must be a text, not a list.",
                "file 2: upstream.isEnabled must be true or false, not 1.",
            ])
    }

    @Test func `budgets of units and users are read, of two for one of them the later counts`() {
        let lines = ["unit menu.service 50000", "uid 1001 20000", "uid  7 0", "uid 1001 30000"]
        let (configuration, problems) = join([["ledger.budgets": .texts(lines)]])
        #expect(problems.isEmpty)
        #expect(
            configuration.ledgerTerms.listed == [
                .unit("menu.service"): 50_000, .user(1_001): 30_000, .user(7): 0,
            ])
        let flags = ConfigurationLayer(flags: ["ledger.budgets": "uid 1 2,unit a.service 3"])
        let flagged = ServerConfiguration.join([flags], in: Self.nowhere).configuration
        #expect(flagged.ledgerTerms.listed == [.user(1): 2, .unit("a.service"): 3])
    }

    @Test(arguments: [
        "unit menu 5", "unit menu.scope 5", "uid -1 5", "uid ann 5", "uid 1", "uid 1 5 6",
        "gid 1 5", "unit user@1000.service/a.service 5", "uid 1 1099511627777", "",
    ])
    func `a budget that says nothing is told, and none of the list counts`(line: String) {
        let (configuration, problems) = join([["ledger.budgets": .texts(["uid 1 2", line])]])
        #expect(configuration.ledgerTerms.listed.isEmpty)
        #expect(problems.count == 1)
        #expect(problems.first?.contains("unit menu.service 50000") ?? false)
    }

    @Test func `what is wrong in a file is told with its line`() throws {
        let file = try TOMLReader.layer(
            """
            [database]
            projct = "x"
            [server]
            loopCount = 0
            [access]
            slip = "deny everyon read"
            """, from: "hearthd.toml")
        let problems = ServerConfiguration.join([file], in: Self.nowhere).problems
        #expect(
            problems.map(\.origin) == [
                "hearthd.toml, line 2", "hearthd.toml, line 4", "hearthd.toml, line 6",
            ])
    }

    @Test func `what is wrong is told in the order of files and of their lines`() throws {
        let text = """
            [server]
            loopCount = 0
            [access]
            slip = "deny everyon read"
            [cache]
            collection = "all"
            """
        let files = try ["hearthd.toml", "conf.d/a.toml"].map {
            try TOMLReader.layer(text, from: $0)
        }
        let problems = ServerConfiguration.join(files, in: Self.nowhere).problems
        #expect(
            problems.map(\.origin) == [
                "hearthd.toml, line 2", "hearthd.toml, line 6", "conf.d/a.toml, line 2",
                // The rule of the later file has the place of the earlier rule.
                "conf.d/a.toml, line 4", "conf.d/a.toml, line 6",
            ])
    }

    @Test(
        arguments: [
            (["access"], [], "applied: access"),
            ([], ["store.folder"], "after a restart: store.folder"),
            (["access"], ["a", "b"], "applied: access; after a restart: a b"),
            ([], [], "nothing has changed"),
        ] as [([String], [String], String)])
    func `the journal tells of a reload without empty lists`(
        applied: [String], needsRestart: [String], words: String
    ) {
        #expect(ReloadReport(applied: applied, needsRestart: needsRestart).reason == words)
    }

    @Test(arguments: ["De Mo/x", "a b", "a/b", "x\n", "Demo", "a_b", "-a", "(a)"])
    func `an id that no name of a database can hold is told`(id: String) {
        for key in ["database.project", "database.name"] {
            let (configuration, problems) = join([
                ["database.project": .text("demo")], [key: .text(id)],
            ])
            #expect(configuration.database == DatabaseID(project: "demo"))
            #expect(problems.count == 1)
            #expect(problems.first?.contains("'s id of at most 128 lower-case letters") == true)
        }
    }

    @Test func `the environment names an emulator, and the configuration overrules it`() {
        let around = Surroundings(
            environment: ["FIRESTORE_EMULATOR_HOST": "localhost:8080"], isRoot: false)
        #expect(join([[:]], around).configuration.emulator == "localhost:8080")
        #expect(join([[:]], around).configuration.upstreamOrigin == "FIRESTORE_EMULATOR_HOST")
        let named = join([["upstream.emulator": .text("unix:/x")]], around).configuration
        #expect(named.emulator == "unix:/x")
        #expect(named.upstreamOrigin == "upstream.emulator")
        let address = join([["upstream.address": .text("example.com:443")]], around).configuration
        #expect(address.emulator == nil)
        #expect(address.upstreamAddress == "example.com:443")
    }

    @Test func `folders are systemd's if it names them, else the user's`() {
        let systemd = Surroundings(
            environment: ["STATE_DIRECTORY": "/s:/t", "RUNTIME_DIRECTORY": "/r"], isRoot: true)
        #expect(systemd.stateFolder == "/s")
        #expect(ServerConfiguration(systemd).clientSocket.path == "/r/hearth.sock")
        let user = Surroundings(
            environment: ["HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/7"], isRoot: false)
        #expect(user.stateFolder == "/home/ada/.local/state/hearth")
        #expect(user.socketFolder == "/run/user/7/hearth")
        #expect(ServerConfiguration(Self.nowhere).clientSocket.path == nil)
    }

    @Test(arguments: [
        ("/t/hearth.sock", "/t/control.sock"), ("/t/a.sock", "/t/a-control.sock"),
        ("b", "b-control.sock"), ("/t.sock/c", "/t.sock/c-control.sock"),
    ])
    func `the control socket of a daemon whose client socket was moved lies beside that`(
        client: String, control: String
    ) {
        let moved = join([["sockets.client": .text(client)]]).configuration
        #expect(moved.controlSocket.path == control)
        let root = Surroundings(environment: [:], isRoot: true)
        #expect(
            join([["sockets.client": .text(client)]], root).configuration.controlSocket.path
                == control)
        let both = join([["sockets.client": .text(client), "sockets.control": .text("/c")]])
        #expect(both.configuration.controlSocket.path == "/c")
    }

    @Test func `modes and policies are read`() {
        let (configuration, problems) = join([
            [
                "sockets.clientMode": .text("0600"), "cache.collection": .text("never"),
                "database.project": .text("p"), "database.name": .text("other"),
            ]
        ])
        #expect(problems == [])
        #expect(configuration.clientSocket.mode == 0o600)
        #expect(configuration.collection == .leastUsed(cacheByteCountMax: nil))
        #expect(configuration.database == DatabaseID(project: "p", database: "other"))
    }

    @Test func `access rules are read by their names, a later layer over an earlier one`() {
        let (configuration, problems) = join([
            ["access.a": .text("allow uid 7 read"), "access.b": .text("allow everyone write")],
            ["access.b": .text(""), "access.c": .text("deny gid 8 read")],
        ])
        #expect(problems == [])
        #expect(configuration.access?.rules.map(\.name) == ["a", "c"])
        #expect(configuration.access?.rules.map(\.isDenial) == [false, true])
        #expect(join([[:]]).configuration.access == nil)
    }

    @Test func `an access rule that cannot be read closes rather than opens`() {
        let (configuration, problems) = join([
            [
                "access.all": .text("allow everyone read"),
                "access.slip": .text("deny everyon read"),
            ],
            ["access.odd": .number(3)],
        ])
        #expect(problems.count == 2)
        #expect(problems.contains { $0.contains("\"slip\" cannot be read: \"everyon\" stands") })
        let peer = Peer(uid: 60_001, gid: 60_001, pid: 1)
        let policy = configuration.access ?? .open
        let grant = AccessGrant(policy, to: peer, in: .firestore(DatabaseID(project: "demo")))
        #expect(grant.refusal(of: .read, to: .anything) != nil)
    }

    @Test func `a file that cannot be read may have rules, and closes rather than opens`() {
        let rules = ConfigurationLayer(
            origin: "a.toml", values: ["access.all": .text("allow everyone read write")])
        let (configuration, _) = ServerConfiguration.join(
            [rules], unread: ["conf.d/b.toml"], in: Self.nowhere)
        let peer = Peer(uid: 60_001, gid: 60_001, pid: 1)
        let grant = AccessGrant(
            configuration.access ?? .open, to: peer,
            in: .firestore(DatabaseID(project: "demo")))
        #expect(grant.refusal(of: .read, to: .anything) != nil)
        #expect(configuration.access?.rules.contains { $0.name == "conf.d/b.toml" } == true)
    }

    @Test func `no name of the configuration gives orders to a terminal`() {
        let (_, problems) = join([
            ["access.\u{1B}[31mred": .text("deny everyon read"), "\u{1B}[2J": .flag(true)]
        ])
        #expect(problems.count == 2)
        #expect(problems.allSatisfy { !$0.contains("\u{1B}") && $0.contains("\\u001b[") })
    }

    @Test func `a reload says which keys count at once and which need a restart`() {
        let old = join([["server.loopCount": .number(1), "queue.byteCountMax": .number(5_000)]])
            .configuration
        let new = join([
            ["limits.frameSecondsMax": .number(9), "access.a": .text("allow uid 7 read")]
        ]).configuration
        let report = new.changes(from: old, startedWith: old)
        #expect(report.applied == ["access", "queue.byteCountMax", "limits.frameSecondsMax"])
        #expect(report.needsRestart == ["server.loopCount"])
        #expect(new.changes(from: new, startedWith: old).applied.isEmpty)
    }

    @Test func `a change that needs a restart is told until it is taken back`() {
        let start = join([["database.countMax": .number(9)]]).configuration
        let changed = join([
            ["database.countMax": .number(8), "upstream.address": .text("other:443")]
        ]).configuration
        let told = ["database.countMax", "upstream.address"]
        #expect(changed.changes(from: start, startedWith: start).needsRestart == told)
        #expect(changed.changes(from: changed, startedWith: start).needsRestart == told)
        #expect(start.changes(from: changed, startedWith: start).needsRestart.isEmpty)
    }

    @Test func `a number that is set to its standard has not changed`() {
        let standard = ServerConfiguration(Self.nowhere)
        let set = join([["database.countMax": .number(standard.databaseCountMax)]]).configuration
        #expect(set.changes(from: standard, startedWith: standard).needsRestart.isEmpty)
    }

    @Test func `limits of what is held are read, and count at once`() {
        let (configuration, problems) = join([
            [
                "limits.heldByteCountMax": .number(5 << 20),
                "limits.uidHeldByteCountMax": .number(4 << 20),
                "limits.bundleByteCountMax": .number(3 << 20),
                "limits.bundleSecondsMax": .number(7),
                "limits.reservedClientCount": .number(0), "limits.guestClientCountMax": .number(8),
                "limits.uidGuestClientCountMax": .number(9),
                "limits.uidDatabaseCountMax": .number(10), "database.idleSeconds": .number(11),
            ]
        ])
        #expect(problems == [])
        #expect(configuration.limits.memory.byteCountMax == 5 << 20)
        #expect(configuration.limits.memory.uidByteCountMax == 4 << 20)
        #expect(configuration.limits.memory.bundleByteCountMax == 3 << 20)
        #expect(configuration.limits.memory.bundleSecondsMax == 7)
        #expect(configuration.limits.reservedClientCount == 0)
        #expect(configuration.limits.guestClientCountMax == 8)
        #expect(configuration.limits.uidGuestClientCountMax == 9)
        #expect(configuration.limits.uidDatabaseCountMax == 10)
        #expect(configuration.databaseIdleSeconds == 11)
        let report = configuration.changes(
            from: ServerConfiguration(Self.nowhere),
            startedWith: ServerConfiguration(Self.nowhere))
        #expect(report.applied.count == 8)
        #expect(report.needsRestart == ["database.idleSeconds"])
    }
}
