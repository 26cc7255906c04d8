import ArgumentParser
import Hearth

/// `hearth status`.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print how the daemon is.",
        discussion: """
            Tells of every database that is open, of Firestore and of the Realtime Database: programs \
            use it, or writes wait in it. --database and --instance name one. Ends with status 0 if \
            all are live or have nothing to do, 10 if one is offline and nothing is lost, 1 if one is \
            degraded. --format table prints a line for each database. JSON, an object for each: \
            state (live, idle, connecting, offline, network off, degraded), onlineState, \
            isNetworkEnabled, degradedReasons, losses (noticedAt, account and path of each rescue of a \
            damaged, emptied or missing database, and of each bundle of which the cache has a part, until \
            somebody removes the file at path), bundles (id, documents and totalDocuments of each bundle \
            that is being loaded, of 16 at most), untoldBundles (how many are being loaded beside them), \
            daemonVersion, uptimeSeconds, project, database, instance (null for Firestore), user, upstream, queueBatches, oldestWrittenAt, \
            deadLetters, clients, listeners, targets (queries, documents and places that are \
            watched, or were and can be resumed), cachedDocuments, cacheBytes, heldBatches, \
            keptPlaces, pins, pinnedBytes, stoppedPins, historyEntries, historyBytes, lastError and \
            lastErrorAt (null once the backend has answered), nextAttemptSeconds. Of a store that cannot be \
            read, queueBatches, heldBatches, deadLetters, targets, cachedDocuments, cacheBytes, \
            historyEntries and historyBytes are null.
            """)

    @OptionGroup var form: FormatOption
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        let statuses = try await session.attempt("ask for the status") {
            try await session.statuses()
        }
        let list = StatusList(statuses, now: Timestamp())
        if form.chosen(json: connection.json) != nil {
            form.print(list.texts, connection)
        } else if connection.quiet {
            Terminal.print(list.state.rawValue)
        } else {
            for line in list.lines { Terminal.print(line) }
        }
        if list.exitStatus != .success { throw Failure(silently: list.exitStatus) }
    }
}
