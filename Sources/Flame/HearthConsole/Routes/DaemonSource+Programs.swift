import Hearth
import HearthModel

/// The programs of the machine that use the daemon.
extension DaemonSource {
    /// The connected processes by their systemd unit, each with its sessions and listeners.
    func programs() async throws -> JSONValue {
        let clients = try await daemon.general { try await $0.daemonClients() }
        let listeners = try await daemon.general { try await $0.daemonListeners() }
        let units = Dictionary(grouping: clients) { $0.process.unit }
        let names = units.keys.sorted { utf8Precedes($0 ?? "", $1 ?? "") }
        return .members([
            "units": .array(
                names.map { name in
                    .members([
                        "unit": .text(name),
                        "processes": .array(Self.processes(units[name] ?? [], listeners)),
                    ])
                })
        ])
    }

    private static func processes(
        _ clients: [DaemonClient], _ listeners: [DaemonListener]
    ) -> [JSONValue] {
        let byProcess = Dictionary(grouping: clients) { $0.process.pid }
        return byProcess.sorted { $0.key < $1.key }.compactMap { _, sessions in
            guard let process = sessions.first?.process else { return nil }
            let ids = Set(sessions.map(\.id))
            return BatchJSON.json(of: process)
                .adding("sessions", .array(sessions.map(json(of:))))
                .adding(
                    "listeners",
                    .array(listeners.filter { ids.contains($0.sessionID) }.map(json(of:))))
        }
    }

    private static func json(of session: DaemonClient) -> JSONValue {
        .members([
            "session": .integer(Int64(clamping: session.id)),
            "db": .text(
                DatabaseLabel.text(session.projectID, session.databaseID, session.instanceURL)),
            "listeners": .count(session.listenerCount), "ageSeconds": .seconds(session.age),
            "heldBytes": .count(session.heldByteCount), "writes": .count(session.writeCount),
            "receivedBytes": .count(session.receivedByteCount),
            "sentBytes": .count(session.sentByteCount),
        ])
    }

    private static func json(of listener: DaemonListener) -> JSONValue {
        .members([
            "session": .integer(Int64(clamping: listener.sessionID)),
            "db": .text(
                DatabaseLabel.text(listener.projectID, listener.databaseID, listener.instanceURL)),
            "query": .string(listener.query),
        ])
    }
}

/// A database's name on pages.
enum DatabaseLabel {
    /// The text; `nil` for a session that has named none.
    static func text(_ project: String, _ database: String, _ instance: String?) -> String? {
        instance ?? (project.isEmpty ? nil : "\(project)/\(database)")
    }
}
