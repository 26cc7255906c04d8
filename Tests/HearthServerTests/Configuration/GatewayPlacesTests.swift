import Glibc
import HearthTestSupport
import Testing

@testable import HearthServer

/// The daemon never becomes its own backend.
struct GatewayPlacesTests {
    private static let address = "127.0.0.1:8085"

    private func configuration(
        emulator: String? = nil, environment: [String: String] = [:], in folder: TemporaryFolder
    ) -> ServerConfiguration {
        var flags = [
            "sockets.client": folder.path + "/hearth.sock", "gateway.address": Self.address,
        ]
        flags["upstream.emulator"] = emulator
        return ServerConfiguration.join(
            [ConfigurationLayer(flags: flags)],
            in: Surroundings(environment: environment, isRoot: false)
        ).configuration
    }

    @Test func `the variable set for the whole machine does not count for the daemon`() {
        let folder = TemporaryFolder()
        for place in ["unix:\(folder.path)/firestore.sock", Self.address, "localhost:8085"] {
            var configuration = configuration(
                environment: [Surroundings.emulatorVariable: place], in: folder)
            #expect(configuration.emulator == place)
            let reason = configuration.refuseOwnGateway(GatewayPlaces(configuration.gateway))
            #expect(reason == nil)
            #expect(configuration.emulator == nil)
            #expect(configuration.isUpstreamEnabled)
            #expect(configuration.upstreamOrigin != Surroundings.emulatorVariable)
        }
    }

    @Test func `a configuration that names the daemon itself leaves it offline, with the reason`() {
        let folder = TemporaryFolder()
        var configuration = configuration(
            emulator: "unix:\(folder.path)/firestore-local.sock", in: folder)
        let reason = configuration.refuseOwnGateway(GatewayPlaces(configuration.gateway))
        #expect(reason?.contains("upstream.emulator") == true)
        #expect(!configuration.isUpstreamEnabled)
    }

    @Test func `another emulator counts, also one at another port or in another folder`() {
        let folder = TemporaryFolder()
        for place in ["unix:\(folder.path)/emulator.sock", "127.0.0.1:8080", "10.0.0.1:8085"] {
            var configuration = configuration(emulator: place, in: folder)
            #expect(configuration.refuseOwnGateway(GatewayPlaces(configuration.gateway)) == nil)
            #expect(configuration.emulator == place)
            #expect(configuration.isUpstreamEnabled)
        }
    }

    @Test func `a place is known through links, and where systemd listens`() throws {
        let folder = TemporaryFolder()
        let (real, link) = (folder.path + "/run", folder.path + "/var-run")
        #expect(mkdir(real, 0o700) == 0 && symlink(real, link) == 0)
        let descriptor = try SocketFile.listen(
            at: real + "/firestore.sock", mode: 0o600, backlog: 1)
        defer { close(descriptor) }
        let places = GatewayPlaces(
            GatewayConfiguration(besides: nil), inherited: ["firestore": [descriptor]])
        #expect(places.contain("unix:\(link)/firestore.sock"))
        #expect(places.contain("unix://\(real)/firestore.sock"))
        #expect(!places.contain("unix:\(real)/hearth.sock"))
    }

    @Test func `a gateway that is switched off has no places of its own`() {
        let folder = TemporaryFolder()
        var configuration = configuration(in: folder)
        configuration.gateway.isEnabled = false
        let places = GatewayPlaces(configuration.gateway)
        #expect(!places.contain(Self.address))
        #expect(!places.contain("unix:\(folder.path)/firestore.sock"))
    }
}
