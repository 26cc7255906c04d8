import HearthEngine
import HearthModel
import HearthRealtime
import HearthRemote
import Logging

/// Connects engines with their Realtime Databases, under the identity of the configuration.
struct RealtimeUpstreamMaker: Sendable {
    /// The emulator that all databases are reached at; `nil` if each is reached at its own host.
    let emulator: BackendAddress?
    /// Who vouches for the service.
    let trust: TrustedCertificates
    /// Who we are.
    let identity: UpstreamIdentity
    /// Where failures are noted.
    let health: UpstreamHealth
    let logger: Logger

    /// Makes the connection of one database. The connection ends when nobody holds it any more.
    ///
    /// - Parameter project: Whose credentials are shown.
    func connect(
        _ instance: InstanceID, of project: String,
        _ sink: @escaping @Sendable (RealtimeUpstreamEvent) async -> Void
    ) -> any RealtimeUpstream {
        let credentials = identity.linkCredentials(
            of: project, isEmulator: emulator != nil)
        let notes = health.notes(of: .link(instance))
        return RealtimeConnection(
            RealtimeConnection.Configuration(
                address: RealtimeAddress(instance, emulator: emulator), trusting: trust,
                identity: LinkIdentity(credentials),
                watch: { notes.note($0) },
                hear: { [logger] in Self.tell($0, of: instance, to: logger) }),
            sink: sink)
    }

    /// Makes the door of one database, which shows the same credentials.
    func door(of instance: InstanceID, of project: String) -> any RealtimeDoor {
        RealtimeRESTDoor(RealtimeAddress(instance, emulator: emulator), trusting: trust) {
            [identity, emulator] in
            LinkIdentity(identity.linkCredentials(of: project, isEmulator: emulator != nil))
        }
    }

    private static func tell(_ note: LinkNote, of instance: InstanceID, to logger: Logger) {
        switch note {
        case .complaint(let text):
            logger.warning(
                "service complains", metadata: ["instance": "\(instance)", "text": "\(text)"])
        case .rules(let text):
            logger.debug("rules report", metadata: ["instance": "\(instance)", "text": "\(text)"])
        }
    }
}
