import Glibc
import HearthFirestore
import HearthServer
import Testing

/// One table tells what can be configured.
struct ConfigurationTableTests {
    private static let nowhere = Surroundings(environment: [:], isRoot: false)

    private func join(_ values: [String: ConfigurationLayer.Value]) -> (
        configuration: ServerConfiguration, problems: [ConfigurationProblem]
    ) {
        ServerConfiguration.join(
            [ConfigurationLayer(origin: "test", values: values)], in: Self.nowhere)
    }

    /// Every property of a configuration, except the list of keys that were set.
    private func effect(_ configuration: ServerConfiguration) -> [String] {
        Mirror(reflecting: configuration).children.filter { $0.label != "values" }.map {
            "\($0.label ?? "") \($0.value)"
        }
    }

    @Test func `Config/hearthd.toml is what Scripts/generate-configuration makes of the table`()
        throws
    {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try #require(fopen("/\(root)/Config/hearthd.toml", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        let count = fread(&bytes, 1, bytes.count, file)
        #expect(String(decoding: bytes[..<count], as: UTF8.self) == ConfigurationText.whole)
    }

    @Test func `the text shows every key once, with its default`() throws {
        let shown = ConfigurationText.whole.split(separator: "\n").map {
            $0.hasPrefix("#") && $0.contains(" = ") ? $0.dropFirst() : $0
        }.joined(separator: "\n")
        let layer = try TOMLReader.layer(shown, from: "hearthd.toml")
        let names = layer.values.keys.filter { !$0.hasPrefix("access.") }
        #expect(Set(names) == Set(ConfigurationTable.keys.map(\.name)))
        for key in ConfigurationTable.keys {
            #expect(layer.values[key.name] == key.standard, "\(key.name)")
        }
    }

    @Test(arguments: ConfigurationTable.keys.map(\.name))
    func `a key takes the default that it shows`(name: String) throws {
        let key = try #require(ConfigurationTable.key(named: name))
        #expect(join([name: key.standard]).problems.isEmpty)
        #expect(key.help.hasSuffix("."), "\(name)")
    }

    @Test func `the defaults, set one by one, change nothing but where things are`() {
        let places: Set = [
            "credentials.folder", "gateway.localSocket", "gateway.socket", "sockets.client",
            "sockets.control", "store.folder",
            "upstream.address", "upstream.emulator", "realtime.emulator",
        ]
        let untouched = effect(ServerConfiguration(Self.nowhere))
        for key in ConfigurationTable.keys where !places.contains(key.name) {
            #expect(
                effect(join([key.name: key.standard]).configuration) == untouched, "\(key.name)")
        }
    }

    @Test func `a number that is set changes one thing, and no other key changes the same`() {
        let untouched = effect(ServerConfiguration(Self.nowhere))
        var effects: Set<[String]> = []
        for key in ConfigurationTable.keys {
            guard case .number(let range) = key.kind, case .number(let standard) = key.standard
            else { continue }
            let other = standard == range.upperBound ? range.lowerBound : range.upperBound
            let changed = effect(join([key.name: .number(other)]).configuration)
            #expect(zip(changed, untouched).count { $0 != $1 } == 1, "\(key.name)")
            #expect(effects.insert(changed).inserted, "\(key.name) changes what another key does")
        }
        #expect(effects.count == ConfigurationTable.keys.count { $0.unit != nil })
    }

    @Test func `a number has a unit, and the name of one of a Unix user begins with uid`() {
        for key in ConfigurationTable.keys {
            let last = key.name.split(separator: ".").last ?? ""
            if case .number = key.kind {
                #expect((key.scope == .user) == last.hasPrefix("uid"), "\(key.name)")
                #expect((key.unit == .bytes) == last.contains("yteCount"), "\(key.name)")
                #expect((key.unit == .seconds) == last.contains("Seconds"), "\(key.name)")
            } else {
                #expect(key.unit == nil, "\(key.name)")
            }
        }
    }
}
