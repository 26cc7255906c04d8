import ArgumentParser
import Hearth

/// `hearth queue`.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Print the writes that wait for the backend.",
        subcommands: [List.self, DeadLetters.self], defaultSubcommand: List.self)

    /// `hearth queue list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the batches that wait, oldest first.",
            discussion: """
                For people: number, state, age, size, writer, documents. JSON, a line for each: \
                batch, state (queued, held, sent), writtenAt, bytes, uid, gid, pid, unit, program, \
                documents.
                """)

        @Option(help: ArgumentHelp("Print so many at most.", valueName: "n"))
        var limit = 1_000
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            let session = try Session(connection)
            let limit = limit
            let batches = try await session.attempt("list the queue") {
                try await QueueCommand.pages(limit) { after, limit in
                    let page = try await session.firestore.pendingBatches(
                        after: after, limit: limit)
                    return (page.batches, page.hasMore)
                }
            }
            let now = Timestamp()
            QueueCommand.print(batches.map { BatchText($0, now: now) }, connection, "waits")
        }
    }

    /// `hearth queue dead-letters`.
    struct DeadLetters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dead-letters", abstract: "Print the batches that the backend refused.",
            discussion: """
                For people: number, age, size, writer, documents, error. JSON as in list, and \
                rejectedAt, error, mayHaveBeenApplied.
                """)

        @Option(help: ArgumentHelp("Print so many at most.", valueName: "n"))
        var limit = 1_000
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            let session = try Session(connection)
            let limit = limit
            let batches = try await session.attempt("list the dead letters") {
                try await QueueCommand.pages(limit) { after, limit in
                    let page = try await session.firestore.deadLetters(after: after, limit: limit)
                    return (page.letters, page.hasMore)
                }
            }
            let now = Timestamp()
            QueueCommand.print(batches.map { BatchText($0, now: now) }, connection, "was rejected")
        }
    }

    /// Asks for one page after the other.
    private static func pages<Entry: Identifiable>(
        _ limit: Int, _ page: (Int64?, Int) async throws -> ([Entry], Bool)
    ) async throws -> [Entry] where Entry.ID == Int64 {
        var entries: [Entry] = []
        while entries.count < limit {
            let (next, hasMore) = try await page(
                entries.last?.id, min(limit - entries.count, 1_000))
            entries += next
            if !hasMore || next.isEmpty { break }
        }
        return entries
    }

    private static func print(
        _ batches: [BatchText], _ connection: ConnectionOptions, _ verb: String
    ) {
        for batch in batches {
            Terminal.print(connection.json ? batch.report.line : batch.line)
        }
        if batches.isEmpty, !connection.json, !connection.quiet {
            Terminal.write("Nothing \(verb).\n", to: .error)
        }
    }
}
