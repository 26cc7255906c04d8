import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

/// The section [realtime].
struct RealtimeConfigurationTests {
    private func join(
        _ values: [String: ConfigurationLayer.Value], _ environment: [String: String] = [:]
    ) -> (configuration: ServerConfiguration, problems: [ConfigurationProblem]) {
        ServerConfiguration.join(
            [ConfigurationLayer(origin: "test", values: values)],
            in: Surroundings(environment: environment, isRoot: false))
    }

    @Test func `every key is read`() throws {
        let (configuration, problems) = join([
            "realtime.instance": .text("https://shop.europe-west1.firebasedatabase.app/"),
            "realtime.emulator": .text("localhost:9000"), "realtime.isEnabled": .flag(false),
            "realtime.cacheByteCountMax": .number(1 << 20),
            "realtime.keep": .texts(["/menu", "shops/1"]),
            "realtime.exactlyOnce": .text("/fence"), "realtime.inDoubt": .text("deadLetter"),
        ])
        #expect(problems.isEmpty)
        let realtime = configuration.realtime
        #expect(realtime.instance?.name == "shop")
        #expect(realtime.instance?.host == "shop.europe-west1.firebasedatabase.app")
        #expect(realtime.emulator == "localhost:9000")
        #expect(realtime.upstreamOrigin == "realtime.emulator")
        #expect(!realtime.isEnabled)
        #expect(realtime.cacheByteCountMax == 1 << 20)
        #expect(realtime.keep == ["menu", "shops/1"])
        #expect(realtime.fence == "fence")
        #expect(realtime.inDoubt == .deadLetter)
    }

    @Test(arguments: [
        ("realtime.instance", ConfigurationLayer.Value.text("shop"), "the address of an instance"),
        ("realtime.instance", .text("https://shop.firebaseio.com/a"), "the address of an instance"),
        ("realtime.keep", .texts(["/a#b"]), "a list of paths"),
        ("realtime.keep", .texts(["/"]), "a list of paths"),
        ("realtime.keep", .text("/a"), "a list of paths"),
        ("realtime.exactlyOnce", .text("a.b"), "a path below the root"),
        ("realtime.exactlyOnce", .text(".info"), "a path below the root"),
        ("realtime.inDoubt", .text("perhaps"), "one of resend, deadLetter"),
    ])
    func `a wrong value is told and left out`(
        key: String, value: ConfigurationLayer.Value, complaint: String
    ) throws {
        let (configuration, problems) = join([key: value])
        #expect(problems.count == 1)
        #expect(problems.first?.message.contains("\(key) must be \(complaint)") == true)
        #expect(configuration.realtime == ServerConfiguration().realtime)
    }

    @Test func `the project has an instance by itself`() throws {
        let configuration = join(["database.project": .text("shop")]).configuration
        #expect(configuration.instance?.description == "https://shop-default-rtdb.firebaseio.com")
        #expect(join([:]).configuration.instance == nil)
    }

    @Test func `the environment names an emulator, and the configuration overrules it`() {
        let around = ["FIREBASE_DATABASE_EMULATOR_HOST": "127.0.0.1:9000"]
        let realtime = join([:], around).configuration.realtime
        #expect(realtime.emulator == "127.0.0.1:9000")
        #expect(realtime.upstreamOrigin == "FIREBASE_DATABASE_EMULATOR_HOST")
        let none = join(["realtime.emulator": .text("")], around).configuration.realtime
        #expect(none.emulator == nil)
        #expect(none.upstreamOrigin == "realtime.emulator")
    }

    @Test func `only the service's hosts and the configured one are told who we are`() throws {
        let hosted = try #require(InstanceID(url: "https://a.firebaseio.com"))
        let strange = try #require(InstanceID(url: "https://evil.example.com?ns=a"))
        let plain = try #require(InstanceID(url: "http://a.firebaseio.com:80"))
        let like = try #require(InstanceID(url: "https://a.evilfirebaseio.com"))
        let directory = join(["database.project": .text("shop")]).configuration.directory
        #expect(directory.trusts(hosted))
        for other in [strange, plain, like] {
            #expect(!directory.trusts(other))
            #expect(throws: HearthError.self) {
                try directory.key(of: .realtime(.exactly(other)))
            }
        }
        let own = join(["realtime.instance": .text(strange.description)]).configuration
        #expect(own.directory.trusts(strange))
        let emulated = join(["realtime.emulator": .text("localhost:9000")]).configuration
        #expect(emulated.directory.trusts(strange))
    }

    @Test(arguments: [
        (
            "https://shop.europe-west1.firebasedatabase.app", "shop",
            "https://shop.europe-west1.firebasedatabase.app"
        ),
        (
            "https://shop.europe-west1.firebasedatabase.app", "Other",
            "https://other.europe-west1.firebasedatabase.app"
        ),
        ("https://shop.firebaseio.com", "other", "https://other.firebaseio.com"),
        ("http://localhost:9000/?ns=shop", "other", "http://localhost:9000/?ns=other"),
    ])
    func `an instance of which only the name is said lies where the default one lies`(
        standard: String, name: String, expected: String
    ) throws {
        let directory = join(["realtime.instance": .text(standard)]).configuration.directory
        let key = try directory.key(of: .realtime(.named(name)))
        #expect(key.description == expected)
        #expect(try directory.key(of: .realtime(.standard)).description == standard)
    }

    @Test func `a queue's limits are those of [queue], and lost answers are those of [realtime]`()
        throws
    {
        let configuration = join([
            "queue.batchCountMax": .number(5), "queue.exactlyOnce": .text("marks"),
            "realtime.inDoubt": .text("deadLetter"),
        ]).configuration
        let instance = try #require(InstanceID(project: "shop"))
        let limits = configuration.queueLimits(of: .realtime(instance))
        #expect(limits.batchCountMax == 5)
        #expect(limits.lostAnswers.markers == nil)
        #expect(limits.lostAnswers.inDoubt == .deadLetter)
        let firestore = configuration.queueLimits(of: .firestore(DatabaseID(project: "shop")))
        #expect(firestore.lostAnswers.markers == ResourcePath(["marks"]))
        #expect(firestore.lostAnswers.inDoubt == .resend)
    }

    @Test func `the memory of waiting writes is of [realtime], and a reload changes the memory`()
        throws
    {
        let old = join([:]).configuration
        let new = join([
            "realtime.queueByteCountMax": .number(4 << 20),
            "realtime.uidQueueByteCountMax": .number(3 << 20),
        ]).configuration
        let instance = try #require(InstanceID(project: "shop"))
        let memory = new.queueLimits(of: .realtime(instance)).memory
        #expect(memory.byteCountMax == 4 << 20)
        #expect(memory.uidByteCountMax == 3 << 20)
        let report = new.changes(from: old, startedWith: old)
        #expect(
            report.applied == ["realtime.queueByteCountMax", "realtime.uidQueueByteCountMax"])
        #expect(report.needsRestart.isEmpty)
    }

    @Test func `a reload applies what is kept and what becomes of lost answers at once`() {
        let old = join([:]).configuration
        let report = join([
            "realtime.keep": .texts(["/menu"]), "realtime.inDoubt": .text("deadLetter"),
            "realtime.exactlyOnce": .text("/fence"),
        ]).configuration.changes(from: old, startedWith: old)
        #expect(report.applied == ["realtime.keep", "realtime.inDoubt"])
        #expect(report.needsRestart == ["realtime.exactlyOnce"])
        #expect(
            ConfigurationText.whole.contains(
                """
                # A reload applies a change of queueByteCountMax, uidQueueByteCountMax, keep \
                and inDoubt at once;
                # any other needs a restart.
                """))
    }

    @Test func `the flag's paths stand between commas`() {
        let layer = ConfigurationLayer(flags: ["realtime.keep": "/menu,/shops/1"])
        #expect(layer.values["realtime.keep"] == .texts(["/menu", "/shops/1"]))
    }
}
